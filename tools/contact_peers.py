#!/usr/bin/env python3
"""Measures contact of IPC Toolkit and MuJoCo beside ours, on one thread of the same machine.

    pip install ipctk mujoco numpy
    tools/contact_peers.py [--dev] [--ball FILE.mesh]

Peers that are not installed are left out. Ours are the benchmarks `detection`, `barrier` and `contact_steps`; with --dev they are
built with the profile of the tests, which is optimised too. IPC Toolkit gets the sheets of these benchmarks with other random
offsets. MuJoCo gets the ball of the contact trials, a Medit file that `contact_trials ball --out FOLDER` writes.
"""

import argparse
import re
import subprocess
import time

SHEETS, SIDE = 8, 50
STATIC, SWEPT, REACH = 0.2, 0.13, 0.6


def best(work, repeat=5):
    """Least processor time of several calls, ms."""
    times = []
    for _ in range(repeat):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return 1e3 * min(times)


def sheets(np):
    """Wavy sheets above each other: positions at both ends of a step, and triangles."""
    random = np.random.default_rng(1)
    points, triangles = [], []
    for layer in range(SHEETS):
        first = layer * SIDE * SIDE
        for k in range(SIDE * SIDE):
            x, y = k % SIDE, k // SIDE
            wave = 0.4 * np.sin(0.3 * x) * np.cos(0.2 * y)
            points.append([x + 0.1 * random.uniform(-1, 1), y, 0.5 * layer + wave])
        for j in range(SIDE - 1):
            for i in range(SIDE - 1):
                a = first + j * SIDE + i
                triangles += [[a, a + 1, a + SIDE + 1], [a, a + SIDE + 1, a + SIDE]]
    start = np.asfortranarray(points)
    end = np.asfortranarray(start + 0.1 * random.uniform(-1, 1, start.shape))
    return start, end, np.array(triangles)


def measure_ipctk():
    """Times of IPC Toolkit, ms, with the numbers of candidates and stencils."""
    import ipctk
    import numpy as np

    ipctk.set_num_threads(1)
    start, end, triangles = sheets(np)
    mesh = ipctk.CollisionMesh(start, ipctk.edges(triangles), triangles)
    near, swept = ipctk.Candidates(), ipctk.Candidates()
    result = {"static": best(lambda: near.build(mesh, start, STATIC))}
    result["swept"] = best(lambda: swept.build(mesh, start, end, SWEPT))
    ccd = ipctk.AdditiveCCD()
    free = lambda: swept.compute_collision_free_stepsize(mesh, start, end, 0.0, ccd)
    result["ccd"] = best(free)
    stencils = ipctk.NormalCollisions()
    stencils.build(mesh, start, REACH)
    barrier = ipctk.BarrierPotential(REACH, 1e4)
    clamp = ipctk.PSDProjectionMethod.CLAMP
    result["gradient"] = best(lambda: barrier.gradient(stencils, mesh, start))
    result["hessian"] = best(lambda: barrier.hessian(stencils, mesh, start, clamp), 2)
    result |= {"near": len(near), "pairs": len(swept), "stencils": len(stencils)}
    return result


def gmsh(medit):
    """A Medit file of tetrahedra as a Gmsh file, version 2.2."""
    words = open(medit).read().split()
    at = words.index("Vertices")
    count = int(words[at + 1])
    rows = [words[at + 2 + 4 * i : at + 5 + 4 * i] for i in range(count)]
    at = words.index("Tetrahedra")
    cells = int(words[at + 1])
    tets = [words[at + 2 + 5 * i : at + 6 + 5 * i] for i in range(cells)]
    text = f"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n{count}\n"
    text += "".join(f"{i + 1} {' '.join(row)}\n" for i, row in enumerate(rows))
    text += f"$EndNodes\n$Elements\n{cells}\n"
    text += "".join(f"{i + 1} 4 0 {' '.join(t)}\n" for i, t in enumerate(tets))
    return text + "$EndElements\n"


def measure_mujoco(ball):
    """Steps of MuJoCo's flex on the ball, ms: in flight, in contact; and its lowest vertex, m."""
    import mujoco

    model = mujoco.MjModel.from_xml_string(
        """<mujoco><option timestep="0.005" solver="CG" tolerance="1e-6" integrator="discrete"/>
        <worldbody><geom type="plane" size="5 5 .1"/>
        <flexcomp name="ball" type="gmsh" file="ball.msh" dim="3" pos="0 0 3.5" radius="0.001" mass="523.6">
        <contact selfcollide="none"/><elasticity young="6e5" poisson="0.45" damping="0.005"/></flexcomp>
        </worldbody></mujoco>""",
        {"ball.msh": gmsh(ball).encode()},
    )
    data = mujoco.MjData(model)
    flight, contact, lowest = [], [], 1.0
    while data.time < 1.2:
        start = time.process_time()
        mujoco.mj_step(model, data)
        seconds = time.process_time() - start
        (contact if data.ncon else flight).append(1e3 * seconds)
        lowest = min(lowest, data.flexvert_xpos[:, 2].min())
    unstable = data.warning[mujoco.mjtWarning.mjWARN_BADQACC].number > 0
    mean = lambda x: sum(x) / max(len(x), 1)
    return model.nflexvert, mean(flight), mean(contact), len(contact), lowest, unstable


def ours(dev):
    """Output of our benchmarks."""
    text = ""
    for bench in ["detection", "barrier", "contact_steps"]:
        command = ["cargo", "test" if dev else "bench", "--workspace", "--bench", bench]
        text += subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--dev", action="store_true", help="build ours with the profile of the tests")
    parser.add_argument("--ball", help="Medit file of the ball for MuJoCo")
    options = parser.parse_args()
    text = ours(options.dev)
    print(text)
    number = r"\s*([0-9.]+)"
    found = re.search(
        rf"20000 vertices:{number} static candidates{number} ms,{number} swept{number} ms, CCD{number} ms", text
    )
    near, static, pairs, swept, ccd = map(float, found.groups())
    found = re.search(rf"{number} stencils: gradient{number} ms, projected Hessian{number} ms", text)
    stencils, gradient, hessian = map(float, found.groups())
    try:
        peer = measure_ipctk()
        print("IPC Toolkit:", peer)
        print(f"candidates {near:.0f} and {pairs:.0f}, IPC Toolkit {peer['near']} and {peer['pairs']}")
        print(f"static {static / peer['static']:.2f}, swept {swept / peer['swept']:.2f} of IPC Toolkit")
        print(f"CCD a pair {ccd / pairs / (peer['ccd'] / peer['pairs']):.2f}")
        each = lambda ours, theirs: ours / stencils / (theirs / peer["stencils"])
        print(f"gradient a stencil {each(gradient, peer['gradient']):.2f}, projected Hessian {each(hessian, peer['hessian']):.3f}")
    except ImportError as missing:
        print(f"left out: {missing}")
    if options.ball:
        try:
            vertices, flight, contact, steps, lowest, unstable = measure_mujoco(options.ball)
            print(f"MuJoCo flex, {vertices} vertices: flight {flight:.2f} ms, contact {contact:.2f} ms ({steps} steps),"
                  f" lowest vertex {lowest:.4f} m{', unstable' if unstable else ''}")
        except ImportError as missing:
            print(f"left out: {missing}")


if __name__ == "__main__":
    main()

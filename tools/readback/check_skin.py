"""Reads obj/*.obj and ply/*.ply with trimesh and meshio and skin.pc2 with NumPy; checks those that are there.

Always: the same triangles in every frame, finite positions, normals as trimesh finds them, a cache as long as its header
says and its mesh as large.
With `expect.json`: every position of every frame, triangles.
"""

import meshio
import numpy as np
import trimesh

from common import expectation, main, require, same


def load(path):
    """Vertices and triangles, untouched."""
    mesh = trimesh.load(path, process=False, force="mesh", maintain_order=True)
    return np.asarray(mesh.vertices), np.asarray(mesh.faces), mesh


def check_normals(path, vertices, mesh):
    """Normals in the file against those weighted by angle that trimesh makes from the triangles."""
    data = meshio.read(path).point_data
    found = data["obj:vn"] if "obj:vn" in data else np.stack([data[n] for n in ("nx", "ny", "nz")], axis=1)
    own = trimesh.Trimesh(vertices, mesh.faces, process=False).vertex_normals
    used = np.unique(mesh.faces)
    same(found[used], own[used], f"{path}: normals", 1e-4)


def check_sequence(directory, kind, wanted, tolerance):
    paths = sorted((directory / kind).glob(f"*.{kind}"))
    first = None
    for number, path in enumerate(paths):
        vertices, faces, mesh = load(path)
        require(np.isfinite(vertices).all(), f"{path}: a position is not finite")
        first = faces if first is None else first
        same(faces, first, f"{path}: triangles against the first frame")
        check_normals(path, vertices, mesh)
        if wanted:
            sent = np.array(wanted["frames"][number]["skin"])
            # Readers may number vertices anew: compare corner by corner.
            corners = sent[np.array(wanted["triangles"])]
            same(vertices[faces], corners, f"{path}: corners", tolerance * np.abs(sent).max())
    if wanted and paths:
        require(len(paths) == len(wanted["frames"]), f"{len(paths)} {kind} files, wanted {len(wanted['frames'])}")
    return f"{len(paths)} {kind} files"


def check_cache(directory, wanted):
    path = directory / "skin.pc2"
    if not path.exists():
        return "no pc2"
    data = path.read_bytes()
    head = np.frombuffer(data[:32], [("magic", "S12"), ("version", "<i4"), ("points", "<i4"), ("start", "<f4"),
                                     ("rate", "<f4"), ("samples", "<i4")])[0]
    require(head["magic"] == b"POINTCACHE2" and head["version"] == 1, f"{path}: not a PC2 file")
    samples, points = int(head["samples"]), int(head["points"])
    require(len(data) == 32 + 12 * samples * points, f"{path}: {len(data)} bytes do not fit its header")
    cache = np.frombuffer(data[32:], "<f4").reshape(samples, points, 3)
    lines = (directory / "skin.obj").read_text().splitlines()
    base = np.array([[float(x) for x in line.split()[1:]] for line in lines if line.startswith("v ")])
    same(cache[0], base.astype(np.float32), f"{path}: first sample against skin.obj")
    if wanted:
        same(cache, np.array([f["skin"] for f in wanted["frames"]]).astype(np.float32), f"{path}: samples")
    return f"{samples} pc2 samples"


def check(directory):
    wanted = expectation(directory)
    parts = [check_sequence(directory, "obj", wanted, 1e-8), check_sequence(directory, "ply", wanted, 1e-6)]
    return ", ".join(parts + [check_cache(directory, wanted)]) + " read back"


if __name__ == "__main__":
    main(check)

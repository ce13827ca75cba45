"""Reads skin.glb with pygltflib and trimesh.

Always: one weights channel a mesh, rising times, a target less than key frames, accessor limits that are those of the
data, indices in range. With `expect.json`: every key frame's positions (base + target) against the frame sent.
"""

import numpy as np
import pygltflib
import trimesh

from common import expectation, main, require, same

TYPES = {5126: np.float32, 5125: np.uint32}
WIDTHS = {"SCALAR": 1, "VEC3": 3}


def array(glb, number):
    """An accessor's data."""
    accessor = glb.accessors[number]
    view = glb.bufferViews[accessor.bufferView]
    start = (view.byteOffset or 0) + (accessor.byteOffset or 0)
    width = WIDTHS[accessor.type]
    data = np.frombuffer(glb.binary_blob(), TYPES[accessor.componentType], accessor.count * width, start)
    data = data.reshape(-1, width) if width > 1 else data
    if accessor.min:
        same(data.min(axis=0).reshape(-1), accessor.min, f"accessor {number}: min")
        same(data.max(axis=0).reshape(-1), accessor.max, f"accessor {number}: max")
    return data


def key_frames(glb):
    """Times of the key frames and the weights at each."""
    if not glb.animations:
        return np.zeros(1), np.zeros((1, 0))
    require(len(glb.animations) == 1, f"{len(glb.animations)} animations, wanted one")
    animation = glb.animations[0]
    require({c.target.path for c in animation.channels} == {"weights"}, "a channel does not animate weights")
    nodes = sorted(c.target.node for c in animation.channels)
    require(nodes == list(range(len(glb.meshes))), f"channels for nodes {nodes}, meshes {len(glb.meshes)}")
    times = array(glb, animation.samplers[0].input)
    weights = array(glb, animation.samplers[0].output).reshape(len(times), -1)
    require((np.diff(times) > 0).all(), "times do not rise")
    same(weights, np.eye(len(times))[:, 1:], "weights")
    return times, weights


def check(directory):
    wanted = expectation(directory)
    path = directory / "skin.glb"
    glb = pygltflib.GLTF2().load(str(path))
    require(glb.asset.version == "2.0", f"version {glb.asset.version}, wanted 2.0")
    times, weights = key_frames(glb)
    every = glb.asset.extras["key-frame-every"]
    frames = glb.asset.extras["frames"]
    kept = sorted(set(range(0, frames, every)) | {frames - 1})
    require(len(times) == len(kept), f"{len(times)} key frames, wanted {len(kept)}")
    size = 1.0
    for body, mesh in enumerate(glb.meshes):
        primitive = mesh.primitives[0]
        base = array(glb, primitive.attributes.POSITION)
        normals = array(glb, primitive.attributes.NORMAL)
        corners = array(glb, primitive.indices).reshape(-1, 3)
        require(corners.max() < len(base), f"{mesh.name}: an index is out of range")
        same(np.linalg.norm(normals, axis=1), np.ones(len(normals)), f"{mesh.name}: length of normals", 1e-5)
        targets = [array(glb, t["POSITION"]) for t in primitive.targets or []]
        require(len(targets) == len(times) - 1, f"{mesh.name}: {len(targets)} targets for {len(times)} key frames")
        if not wanted:
            continue
        own = [t for t, b in zip(wanted["triangles"], wanted["triangle_body"]) if b == body]
        used = sorted({v for t in own for v in t})
        same(np.array(used)[corners], own, f"{mesh.name}: triangles")
        for k, frame in enumerate(kept):
            sent = wanted["frames"][frame]
            found = base + sum((w * t for w, t in zip(weights[k], targets)), np.zeros_like(base))
            skin = np.array(sent["skin"])
            size = max(size, np.abs(skin).max())
            same(found, skin[used], f"{mesh.name}: positions of frame {frame}", 4e-7 * size)
            require(abs(times[k] - sent["t"]) <= 1e-6 * max(1.0, sent["t"]), f"key frame {k}: time {times[k]}")
    if wanted:
        require([m.name for m in glb.meshes] == wanted["bodies"], "names of bodies differ")
    scene = trimesh.load(path)
    count = sum(len(g.faces) for g in scene.geometry.values())
    total = sum(len(array(glb, m.primitives[0].indices)) // 3 for m in glb.meshes)
    require(count == total, f"trimesh sees {count} triangles, the file has {total}")
    return f"{len(times)} key frames of {len(glb.meshes)} meshes, {total} triangles read back"


if __name__ == "__main__":
    main(check)

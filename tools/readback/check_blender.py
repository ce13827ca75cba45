"""Imports skin.glb, skin.usda and skin.obj + skin.pc2 into Blender (module bpy) and plays them.

Needs `expect.json`: at every frame each vertex Blender shows must be one that was sent, and the other way round.
"""

import bpy
import numpy as np

from common import expectation, main, require


def import_gltf(directory):
    bpy.ops.import_scene.gltf(filepath=str(directory / "skin.glb"))


def import_usd(directory):
    bpy.ops.wm.usd_import(filepath=str(directory / "skin.usda"))


def import_cache(directory):
    bpy.ops.wm.obj_import(filepath=str(directory / "skin.obj"))
    for thing in bpy.data.objects:
        modifier = thing.modifiers.new("cache", "MESH_CACHE")
        modifier.cache_format = "PC2"
        modifier.filepath = str(directory / "skin.pc2")
        modifier.frame_start = 0


def shown():
    """Vertices of all meshes as Blender shows them now, turned back to y up."""
    graph = bpy.context.evaluated_depsgraph_get()
    points = []
    for thing in bpy.data.objects:
        if thing.type == "MESH":
            mesh = thing.evaluated_get(graph).to_mesh()
            points += [thing.matrix_world @ v.co for v in mesh.vertices]
    points = np.array(points)
    return np.stack([points[:, 0], points[:, 2], -points[:, 1]], axis=1)


def check(directory):
    wanted = expectation(directory)
    require(wanted, f"{directory} has no expect.json to compare with")
    for name, load in (("glTF", import_gltf), ("USD", import_usd), ("PC2", import_cache)):
        bpy.ops.wm.read_factory_settings(use_empty=True)
        scene = bpy.context.scene
        scene.render.fps = round(wanted["fps"])
        load(directory)
        for number, frame in enumerate(wanted["frames"]):
            scene.frame_set(number)
            sent, found = np.array(frame["skin"]), shown()
            require(len(found) == len(sent), f"{name}: {len(found)} vertices, wanted {len(sent)}")
            apart = np.linalg.norm(sent[:, None] - found[None], axis=2)
            worst = max(apart.min(axis=0).max(), apart.min(axis=1).max())
            require(worst < 2e-6 * np.abs(sent).max(), f"{name}: frame {number} is off by {worst:.3g} m")
    return f"Blender {bpy.app.version_string} plays {len(wanted['frames'])} frames of glTF, USD and PC2"


if __name__ == "__main__":
    main(check)

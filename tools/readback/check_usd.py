"""Reads skin.usda with USD itself.

Always: meshes with as many normals as points in every sample, a sample for every frame number, extents that hold the
points. With `expect.json`: rate, every point of every frame, triangles.
"""

import numpy as np
from pxr import Usd, UsdGeom

from common import expectation, main, require, same


def check_mesh(mesh, wanted, body):
    """One body; returns its sample times."""
    name = mesh.GetPath().name
    points = mesh.GetPointsAttr()
    times = points.GetTimeSamples()
    require(times, f"{name}: no time samples")
    require(mesh.GetNormalsAttr().GetTimeSamples() == times, f"{name}: normals are sampled at other times")
    require(mesh.GetNormalsInterpolation() == "vertex", f"{name}: normals are {mesh.GetNormalsInterpolation()}")
    corners = np.array(mesh.GetFaceVertexIndicesAttr().Get()).reshape(-1, 3)
    same(np.array(mesh.GetFaceVertexCountsAttr().Get()), np.full(len(corners), 3), f"{name}: corners a face")
    if wanted:
        own = [t for t, b in zip(wanted["triangles"], wanted["triangle_body"]) if b == body]
        used = sorted({v for t in own for v in t})
        same(np.array(used)[corners], own, f"{name}: triangles")
        require(mesh.GetPrim().GetCustomDataByKey("body") == wanted["bodies"][body], f"{name}: name of the body")
    for time in times:
        found = np.array(points.Get(time))
        normals = np.array(mesh.GetNormalsAttr().Get(time))
        require(corners.max() < len(found), f"{name}: an index is out of range")
        same(np.linalg.norm(normals, axis=1), np.ones(len(found)), f"{name}: length of normals at {time}", 2e-3)
        extent = np.array(mesh.GetExtentAttr().Get(time))
        same(extent, [found.min(axis=0), found.max(axis=0)], f"{name}: extent at {time}")
        if wanted:
            sent = np.array(wanted["frames"][int(time)]["skin"])[used]
            same(found, sent.astype(np.float32), f"{name}: points at {time}")
    return times


def check(directory):
    wanted = expectation(directory)
    stage = Usd.Stage.Open(str(directory / "skin.usda"))
    require(stage.GetDefaultPrim().IsValid(), "no default prim")
    require(UsdGeom.GetStageUpAxis(stage) == "Y", f"up is {UsdGeom.GetStageUpAxis(stage)}, wanted Y")
    require(UsdGeom.GetStageMetersPerUnit(stage) == 1.0, "a unit is not a metre")
    meshes = [UsdGeom.Mesh(p) for p in stage.Traverse() if p.IsA(UsdGeom.Mesh)]
    require(meshes, "no mesh")
    times = [check_mesh(mesh, wanted, body) for body, mesh in enumerate(meshes)]
    frames = list(np.arange(stage.GetStartTimeCode(), stage.GetEndTimeCode() + 1))
    require(all(t == frames for t in times), f"samples at {times[0]}, wanted {frames}")
    if wanted:
        require(stage.GetTimeCodesPerSecond() == wanted["fps"], f"{stage.GetTimeCodesPerSecond()} time codes a second")
        require(len(frames) == len(wanted["frames"]), f"{len(frames)} frames, wanted {len(wanted['frames'])}")
    return f"{len(frames)} frames of {len(meshes)} meshes read back"


if __name__ == "__main__":
    main(check)

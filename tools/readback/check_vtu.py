"""Reads series.pvd and its frames with VTK and, where it knows all cell types, meshio.

Always: the collection's times rise, every file is there and says the same time, counts never change, and
displacement + rest is the same rest in every frame. With `expect.json`: every number, exactly.
"""

import xml.etree.ElementTree as xml

import meshio
import numpy as np
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader

from common import expectation, main, require, same

VTK_TYPES = {
    "vertex": 1, "line2": 3, "line3": 21, "tri3": 5, "tri6": 22, "quad4": 9, "quad8": 23, "quad9": 28,
    "tet4": 10, "tet10": 24, "hex8": 12, "hex20": 25, "hex27": 29, "prism6": 13, "pyramid5": 14,
}


def read(path):
    """A frame as VTK sees it."""
    reader = vtkXMLUnstructuredGridReader()
    reader.SetFileName(str(path))
    reader.Update()
    require(reader.GetErrorCode() == 0, f"{path}: VTK reports error {reader.GetErrorCode()}")
    grid = reader.GetOutput()
    cells = grid.GetCells()

    def arrays(data):
        return {data.GetArrayName(i): vtk_to_numpy(data.GetArray(i)) for i in range(data.GetNumberOfArrays())}

    empty = grid.GetNumberOfCells() == 0
    return {
        "points": vtk_to_numpy(grid.GetPoints().GetData()),
        "nodes": np.zeros(0) if empty else vtk_to_numpy(cells.GetConnectivityArray()),
        "starts": np.zeros(1) if empty else vtk_to_numpy(cells.GetOffsetsArray()),
        "types": np.array([grid.GetCellType(i) for i in range(grid.GetNumberOfCells())]),
        "point_data": arrays(grid.GetPointData()),
        "cell_data": arrays(grid.GetCellData()),
        "time": arrays(grid.GetFieldData())["TimeValue"][0],
    }


def against_meshio(path, frame):
    """The same file through a second reader."""
    mesh = meshio.read(path)
    same(mesh.points, frame["points"], f"{path}: points by meshio")
    for name, values in frame["point_data"].items():
        same(mesh.point_data[name], values, f"{path}: {name} by meshio")
    require(sum(len(block.data) for block in mesh.cells) == len(frame["types"]), f"{path}: cells by meshio")


def against_expected(path, frame, wanted, number):
    """Every number of a test's frame."""
    sent = wanted["frames"][number]
    require(frame["time"] == sent["t"], f"{path}: time {frame['time']}, wanted {sent['t']}")
    same(frame["points"], sent["positions"], f"{path}: points")
    same(frame["point_data"]["velocity"], sent["velocities"], f"{path}: velocity")
    moved = np.array(sent["positions"]) - np.array(wanted["points"])
    same(frame["point_data"]["displacement"], moved, f"{path}: displacement")
    same(frame["cell_data"]["body"], wanted["cell_body"], f"{path}: body")
    for name, values in sent["fields"].items():
        same(frame["cell_data"][name], values, f"{path}: {name}")
    same(frame["types"], [VTK_TYPES[c["kind"]] for c in wanted["cells"]], f"{path}: cell types")
    same(frame["nodes"], [n for c in wanted["cells"] for n in c["nodes"]], f"{path}: connectivity")


def check(directory):
    wanted = expectation(directory)
    collection = xml.parse(directory / "series.pvd").getroot().find("Collection")
    entries = [(float(e.get("timestep")), e.get("file")) for e in collection.findall("DataSet")]
    require(entries, f"{directory}/series.pvd names no frame")
    times = [t for t, _ in entries]
    require(all(a < b for a, b in zip(times, times[1:])), "times of series.pvd do not rise")
    if wanted:
        require(len(entries) == len(wanted["frames"]), f"{len(entries)} frames, wanted {len(wanted['frames'])}")
    rest, first = None, None
    for number, (t, name) in enumerate(entries):
        path = directory / name
        frame = read(path)
        require(frame["time"] == t, f"{path} says t = {frame['time']}, series.pvd says {t}")
        if rest is None:
            first, rest = frame, frame["points"] - frame["point_data"]["displacement"]
        for part in ("nodes", "starts", "types"):
            same(frame[part], first[part], f"{path}: {part} against the first frame")
        size = np.abs(frame["points"]).max(initial=1.0)
        same(frame["points"] - frame["point_data"]["displacement"], rest, f"{path}: rest", 1e-12 * size)
        against_meshio(path, frame)
        if wanted:
            against_expected(path, frame, wanted, number)
    return f"{len(entries)} frames of {len(first['points'])} points and {len(first['types'])} cells read back"


if __name__ == "__main__":
    main(check)

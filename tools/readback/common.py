"""What the checks share: reading `expect.json`, comparing numbers, failing with a sentence."""

import json
import sys
from pathlib import Path

import numpy as np


class Mismatch(Exception):
    """What was read is not what was sent."""


def require(condition, sentence):
    """Raises `Mismatch(sentence)` unless `condition` holds."""
    if not condition:
        raise Mismatch(sentence)


def same(found, wanted, what, tolerance=0.0):
    """Requires two arrays of one shape whose entries differ by at most `tolerance`."""
    found, wanted = np.asarray(found), np.asarray(wanted)
    require(found.shape == wanted.shape, f"{what}: shape {found.shape}, wanted {wanted.shape}")
    if found.size == 0:
        return
    worst = np.abs(found.astype(float) - wanted.astype(float)).max()
    require(worst <= tolerance, f"{what}: differs by {worst:.3g}, allowed {tolerance:.3g}")


def expectation(directory):
    """`expect.json` of a test's folder, or None in a run's own folder."""
    path = directory / "expect.json"
    return json.loads(path.read_text()) if path.exists() else None


def main(check):
    """Runs `check(directory)` on the folder named on the command line; exit code 1 and a sentence on mismatch."""
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} DIRECTORY")
    try:
        print(check(Path(sys.argv[1])))
    except Mismatch as error:
        sys.exit(f"{Path(sys.argv[0]).name}: {error}")
    except (OSError, KeyError, ValueError) as error:
        sys.exit(f"{Path(sys.argv[0]).name}: {type(error).__name__}: {error}")

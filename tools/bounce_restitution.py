#!/usr/bin/env python3
"""Restitution of a particle that bounces off a barrier, by step over contact time; needs Python only.

    tools/bounce_restitution.py [--first | --largest]

An independent check of the table in docs/contact.md and of the test `restitution` of supple-solid: it shares no code with them.
Every method solves its stages in one scalar equation by bisection. A particle of 0.5 kg flies at 1 m/s against the squared
logarithm b = -k (d^2 - r^2)^2 ln(d^2/r^2) with k = 1e7 and r = 1 cm, without gravity. Printed is the mean over 20 phases
of the impact in the step. The velocity after the bounce is that to which the method settles; with --first it is the velocity
at the end of the first step beyond the reach, which is the same for all methods but BDF2; with --largest the largest one of
500 phases instead of the mean.
"""

import math
import sys

MASS, REACH, K = 0.5, 0.01, 1e7
RATIOS = [2, 1, 0.5, 0.25, 0.1, 0.03]
PHASES = 20


def potential(d):
    return -K * (d * d - REACH**2) ** 2 * math.log(d * d / REACH**2) if d < REACH else 0.0


def acceleration(d):
    if d >= REACH:
        return 0.0
    s = d * d - REACH**2
    return K * (4 * d * s * math.log(d * d / REACH**2) + 2 * s * s / d) / MASS


def stage(known, c):
    """Acceleration a with a = acceleration(known + c a): bisection over the distance."""
    if known >= REACH:
        return 0.0
    low, high = 0.0, REACH
    for _ in range(200):
        d = 0.5 * (low + high)
        if d > known + c * acceleration(d):
            high = d
        else:
            low = d
    return (high - known) / c


def backward_euler(x, v, h, memory):
    a = stage(x + h * v, h * h)
    return x + h * (v + h * a), v + h * a, None


def trapezoid(x, v, h, memory):
    a0 = acceleration(x)
    a = stage(x + h * v + h * h / 4 * a0, h * h / 4)
    return x + h * v + h * h / 4 * (a0 + a), v + h / 2 * (a0 + a), None


def sdirk2(x, v, h, memory):
    g = 1 - math.sqrt(0.5)
    a1 = stage(x + g * h * v, (g * h) ** 2)
    v1 = v + g * h * a1
    known_v = v + (1 - g) * h * a1
    known_x = x + (1 - g) * h * v1
    a2 = stage(known_x + g * h * known_v, (g * h) ** 2)
    v2 = known_v + g * h * a2
    return known_x + g * h * v2, v2, None


def bdf2_from(x0, v0, x1, v1, w0, w1, c):
    """The end of a step with x = w0 x0 + w1 x1 + c v and v = w0 v0 + w1 v1 + c a."""
    known_x, known_v = w0 * x0 + w1 * x1, w0 * v0 + w1 * v1
    a = stage(known_x + c * known_v, c * c)
    v = known_v + c * a
    return known_x + c * v, v


def tr_bdf2(x, v, h, memory):
    g = 2 - math.sqrt(2)
    x1, v1, _ = trapezoid(x, v, g * h, None)
    w1 = 1 / (g * (2 - g))
    x, v = bdf2_from(x, v, x1, v1, 1 - w1, w1, (1 - g) / (2 - g) * h)
    return x, v, None


def bdf2(x, v, h, memory):
    if memory is None:
        return (*tr_bdf2(x, v, h, None)[:2], (x, v))
    return (*bdf2_from(*memory, x, v, -1 / 3, 4 / 3, 2 / 3 * h), (x, v))


METHODS = {
    "backward-euler": backward_euler,
    "sdirk2": sdirk2,
    "tr-bdf2": tr_bdf2,
    "bdf2": bdf2,
    "trapezoid, newmark": trapezoid,
}


def contact_time():
    """Twice the time from the reach to the turning point."""
    low, high = 1e-12, REACH
    for _ in range(200):
        d = 0.5 * (low + high)
        low, high = (d, high) if potential(d) > 0.5 * MASS else (low, d)
    n, total = 20000, 0.0
    for k in range(n):
        s = (k + 0.5) / n
        d = high + (REACH - high) * s * s
        speed = math.sqrt(max(1 - 2 * potential(d) / MASS, 1e-30))
        total += 2 * s * (REACH - high) / speed / n
    return 2 * total


def bounce(step, h, phase, first):
    x, v, memory = REACH + h * (1 + phase), -1.0, None
    before = math.nan
    while True:
        x, v, memory = step(x, v, h, memory)
        if x > REACH and v > 0 and (first or abs(v - before) <= 1e-12 * v):
            return v
        before = v


def main():
    first, largest = "--first" in sys.argv, "--largest" in sys.argv
    count = 500 if largest else PHASES
    time = contact_time()
    print(f"contact time {1e3 * time:.3f} ms")
    print("h / contact time  ", *(f"{r:7}" for r in RATIOS))
    for name, step in METHODS.items():
        shown = []
        for ratio in RATIOS:
            phases = [bounce(step, ratio * time, k / count, first) for k in range(count)]
            shown.append(max(phases) if largest else sum(phases) / count)
        print(f"{name:18}", *(f"{x:7.3f}" for x in shown))


if __name__ == "__main__":
    main()

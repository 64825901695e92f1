# SPDX-License-Identifier: Apache-2.0
"""Programs of users of Quadrants (physics_programs.py) give the values that Quadrants 1.3.3 gives,
and gradients that agree with finite differences. Quadrants' own gradients, of those programs that
it derives, agreed within 4e-16 of the largest."""

import numpy as np
import pytest
from physics_programs import COUNT, GRADIENTS, VALUES, World, X

import joggle.fields as qd

# Of all results of a program: their sum, weighted by cosines, and the sum of their magnitudes.
# Quadrants does not compile functions_that_return_early; that row is what Python gives.
FOUND = {
    "nested_static_loops": (33.2839709343514, 376.4550539011104),
    "products_of_matrices": (-3.612649266603005, 75.05822153590414),
    "sums_of_matrices_on_a_grid": (-2.483958900157039, 50.075904446563705),
    "particles_to_a_grid_and_back": (-2.015769204900262, 19.375888457320126),
    "springs": (0.1305981487274564, 1.0972307214279133),
    "neighbours_within_reach": (-6.910320536234844, 69.37106680005535),
    "steps_in_time": (0.6315830174528532, 4.069417788879308),
    "bounces": (1.2687956186904832, 12.634084572211673),
    "functions_that_return_early": (-0.577001883069215, 9.268023922356033),
    "roots_by_newton": (-0.7601706808349907, 10.833387793421613),
    "samples_between_cells": (-0.7471407275416032, 47.97312771793022),
    "local_arrays_by_index": (72.41744556668158, 998.9082465106042),
    "clamps_and_choices": (-5.018442598828525, 36.96421909598061),
    "sums_that_normalise": (-27.74093932518677, 31.932490133718517),
    "scatters_by_a_permutation": (-4.0295414753282595, 14.052584061600559),
    "structs_with_methods": (0.9061529431107178, 56.79721577473397),
    "nests_with_a_continue": (-1.5064397379853167, 16.840631284914473),
    "swaps_and_components": (0.5048368091428498, 23.29149827810811),
    "old_values_of_atomics": (-7.764424458162864, 49.47258477285234),
    "integers_round_down": (-2230.657220231285, 11347.0),
    "chains_of_comparisons": (-14.10674274674059, 79.0),
    "recursion_of_real_functions": (819.817589177349, 4095.0),
    "cells_of_a_pointer": (-34.52805367028817, 134.15860872697135),
    "lists_that_grow": (-71.4579696901225, 182.0),
    "decompositions": (5.80103218213868, 66.56607059036915),
    "vectors_by_parts": (-19.43375911261224, 388.10499079915564),
    "loops_that_leave": (-35.72759343235835, 218.0),
}


@pytest.fixture
def world(compiler):
    qd.init(arch=qd.cpu, default_fp=qd.f64)
    return World(qd)


def check_values(name, results):
    weighted, size = FOUND[name]
    weights = np.cos(np.arange(results.size))
    assert abs(weights @ results - weighted) <= 1e-12 * size
    assert abs(np.abs(results).sum() - size) <= 1e-12 * size


@pytest.mark.parametrize("program", [*GRADIENTS, *VALUES], ids=lambda f: f.__name__)
def test_programs_give_the_values_of_quadrants(program, world):
    run = program(qd, world)
    world.set(X)
    run()
    check_values(program.__name__, world.results())


@pytest.mark.parametrize("program", GRADIENTS, ids=lambda f: f.__name__)
def test_gradients_of_programs_agree_with_finite_differences(program, world):
    run = program(qd, world)

    def results(x):
        world.set(x)
        run()
        return world.results()

    weights, step = np.cos(np.arange(results(X).size)), 1e-6
    sides = [[weights @ results(X + d) for d in (e, -e)] for e in step * np.eye(COUNT)]
    expected = np.array([(after - before) / (2 * step) for after, before in sides])
    results(X)
    world.x.grad.fill(0.0)
    world.weigh(weights)
    run.grad()
    error = np.abs(world.x.grad.to_numpy() - expected).max()
    assert error <= 2e-9 * np.abs(expected).max()

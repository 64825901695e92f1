# SPDX-License-Identifier: Apache-2.0
"""Rays against spheres: structs with methods, nested structs, fields of structs, qd.math."""

import joggle.fields as qd
from joggle.fields import math as tm

vec3 = qd.types.vector(3, qd.f32)


@qd.dataclass
class Sphere:
    center: vec3
    radius: qd.f32

    @qd.func
    def hit(self, origin, direction):
        to = origin - self.center
        b = to.dot(direction)
        c = to.dot(to) - self.radius * self.radius
        inside = b * b - c
        t = -1.0
        if inside > 0:
            t = -b - qd.sqrt(inside)
        return t


Hit = qd.types.struct(distance=qd.f32, ball=qd.i32, normal=vec3)
balls = Sphere.field(shape=3)
image = Hit.field(shape=(6, 5))


@qd.kernel
def place():
    for i in balls:
        balls[i] = Sphere(center=vec3(i - 1.0, 0.25 * i, 4.0 + i), radius=0.75)


@qd.kernel
def trace():
    for i, j in image:
        direction = tm.normalize(vec3((i - 2.5) / 3.0, (j - 2.0) / 3.0, 1.0))
        best = 1e9
        found = -1
        normal = vec3(0.0)
        for k in range(3):
            t = balls[k].hit(vec3(0.0), direction)
            if t > 0 and t < best:
                best = t
                found = k
                normal = tm.normalize(t * direction - balls[k].center)
        image[i, j] = Hit(distance=best, ball=found, normal=normal)


def run():
    place()
    trace()
    data = image.to_numpy()
    return {name: data[name] for name in ("distance", "ball", "normal")}

# SPDX-License-Identifier: Apache-2.0
"""The state of a simulation in one field of structs, which NumPy and torch work on in place."""

import numpy as np

import joggle as jg
import joggle.fields as qd

COUNT, STEPS, DT = 1000, 100, 0.01


@qd.dataclass
class Particle:
    position: qd.types.vector(2, qd.f32)
    velocity: qd.types.vector(2, qd.f32)
    mass: qd.f64

    def momentum(self):
        return self.velocity * self.mass


def main():
    particles = Particle.field(shape=COUNT)
    rng = np.random.default_rng(1)
    particles.position.from_numpy(rng.normal(size=(COUNT, 2)))
    particles.mass.fill(2)

    # Views of the members: strided, as a particle's members lie side by side.
    position = particles.position.to_torch(copy=False)
    velocity = particles.velocity.to_torch(copy=False)
    start = jg.mean(jg.asarray(particles.position) ** 2)
    jg.eval(start)
    for _ in range(STEPS):
        velocity -= DT * position  # a spring to the origin
        position += DT * velocity
    end = jg.mean(jg.asarray(particles.position) ** 2)

    print("bytes from one position to the next:", position.stride(0) * position.element_size())
    print("torch and the field share memory:   ", particles[7].position.x == position[7, 0].item())
    print("momentum of particle 7:             ", particles[7].momentum().to_list())
    print(f"mean square of the positions:        {start.item():.3f}, then {end.item():.3f}")


if __name__ == "__main__":
    main()

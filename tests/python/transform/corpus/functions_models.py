# SPDX-License-Identifier: Apache-2.0
"""Losses, layers, physics and numerics. Each takes a namespace and a (3, 4) array."""

import numpy as np

WEIGHTS = np.linspace(-1, 1, 20).reshape(4, 5)
LABELS = np.array([2, 0, 3])


def weights(xp, rows=4, columns=5):
    return xp.asarray(np.sin(np.arange(float(rows * columns))).reshape(rows, columns))


def softmax(xp, x, axis=-1):
    powers = xp.exp(x - xp.max(x, axis=axis, keepdims=True))
    return powers / xp.sum(powers, axis=axis, keepdims=True)


def log_softmax(xp, x):
    shifted = x - xp.max(x, axis=-1, keepdims=True)
    return shifted - xp.log(xp.sum(xp.exp(shifted), axis=-1, keepdims=True))


def sigmoid(xp, x):
    return 1 / (1 + xp.exp(-x))


def layer_norm(xp, x):
    mean = xp.mean(x, axis=-1, keepdims=True)
    return (x - mean) / xp.sqrt(xp.var(x, axis=-1, keepdims=True) + 1e-5)


LOSSES = {
    "squares": lambda xp, x: xp.mean((x - 0.3) ** 2),
    "absolute": lambda xp, x: xp.mean(xp.abs(x - 0.35)),
    "huber": lambda xp, x: xp.where(xp.abs(x) < 1, 0.5 * x * x, xp.abs(x) - 0.5),
    "log cosh": lambda xp, x: xp.log(xp.cosh(x)),
    "cross entropy": lambda xp, x: (
        -xp.mean(xp.take_along_axis(log_softmax(xp, x), xp.asarray(LABELS[:, None]), 1))
    ),
    "smoothed cross entropy": lambda xp, x: (
        -xp.mean(
            0.9 * log_softmax(xp, x)[xp.asarray(np.arange(3)), xp.asarray(LABELS)]
            + 0.1 * xp.mean(log_softmax(xp, x), axis=1)
        )
    ),
    "binary cross entropy": lambda xp, x: xp.mean(
        xp.maximum(x, 0) - x * 0.3 + xp.log1p(xp.exp(-xp.abs(x)))
    ),
    "hinge": lambda xp, x: xp.mean(xp.maximum(0, 1 - x * xp.sign(xp.sin(9 * x)))),
    "triplet": lambda xp, x: xp.maximum(
        xp.sum((x[0] - x[1]) ** 2) - xp.sum((x[0] - x[2]) ** 2) + 9.0, 0
    ),
    "cosine": lambda xp, x: 1 - x[0] @ x[1] / xp.sqrt((x[0] @ x[0]) * (x[1] @ x[1])),
    "contrastive": lambda xp, x: xp.mean(
        xp.diagonal(log_softmax(xp, x @ x.T / xp.sqrt(xp.sum(x * x))))
    ),
    "focal": lambda xp, x: xp.mean(-((1 - sigmoid(xp, x)) ** 2) * xp.log(sigmoid(xp, x) + 1e-6)),
    "dice": lambda xp, x: 1 - 2 * xp.sum(sigmoid(xp, x) * 0.4) / (xp.sum(sigmoid(xp, x)) + 4.8),
    "poisson": lambda xp, x: xp.mean(xp.exp(x) - 2 * x),
    "gaussian with deviation": lambda xp, x: xp.mean(
        xp.log(xp.exp(x[:, :2]) + 0.1) + x[:, 2:] ** 2 / (xp.exp(x[:, :2]) + 0.1)
    ),
    "variational bound": lambda xp, x: 0.5 * xp.sum(xp.exp(x) + x * x - 1 - x),
    "total variation": lambda xp, x: (
        xp.sum(xp.abs(xp.diff(x, axis=0))) + xp.sum(xp.abs(xp.diff(x, axis=1)))
    ),
    "ranking": lambda xp, x: xp.sum(xp.log1p(xp.exp(x[:, None, 0] - x[None, :, 1]))),
    "regularised": lambda xp, x: xp.sum(x**2) + 0.3 * xp.sum(xp.abs(x)),
    "quantile loss": lambda xp, x: xp.mean(xp.maximum(0.3 * (x - 0.1), -0.7 * (x - 0.1))),
}

LAYERS = {
    "linear": lambda xp, x: x @ weights(xp) + 0.5,
    "two layers": lambda xp, x: xp.tanh(x @ weights(xp)) @ weights(xp, 5, 2),
    "relu layers": lambda xp, x: xp.maximum(x @ weights(xp), 0) @ weights(xp, 5, 3),
    "leaky": lambda xp, x: xp.where(x > 0, x, 0.1 * x) @ weights(xp),
    "elu": lambda xp, x: xp.where(x > 0, x, xp.expm1(xp.minimum(x, 0))),
    "gelu": lambda xp, x: 0.5 * x * (1 + xp.tanh(0.7978845608 * (x + 0.044715 * x**3))),
    "silu": lambda xp, x: x * sigmoid(xp, x),
    "mish": lambda xp, x: x * xp.tanh(xp.log1p(xp.exp(x))),
    "soft plus": lambda xp, x: xp.log1p(xp.exp(x)),
    "gated": lambda xp, x: xp.tanh(x @ weights(xp)) * sigmoid(xp, x @ weights(xp)[:, ::-1]),
    "softmax": lambda xp, x: softmax(xp, x * 2),
    "normalised layer": lambda xp, x: layer_norm(xp, x) * 1.5 + 0.1,
    "root mean square": lambda xp, x: x / xp.sqrt(xp.mean(x * x, axis=-1, keepdims=True) + 1e-5),
    "batch norm": lambda xp, x: (x - xp.mean(x, axis=0)) / xp.sqrt(xp.var(x, axis=0) + 1e-3),
    "group norm": lambda xp, x: xp.reshape(layer_norm(xp, xp.reshape(x, (3, 2, 2))), (3, 4)),
    "residual": lambda xp, x: x + xp.tanh(layer_norm(xp, x) @ weights(xp, 4, 4)),
    "attention": lambda xp, x: softmax(xp, x @ x.T / 2) @ x,
    "causal attention": lambda xp, x: (
        softmax(xp, xp.where(xp.asarray(np.tri(3) > 0), x @ x.T / 2, -1e9)) @ x
    ),
    "two heads": lambda xp, x: xp.concatenate(
        [softmax(xp, h @ h.T) @ h for h in xp.split(x, 2, axis=1)], axis=1
    ),
    "rotary": lambda xp, x: xp.concatenate(
        [
            x[:, :2] * xp.cos(xp.arange(3.0))[:, None] - x[:, 2:] * xp.sin(xp.arange(3.0))[:, None],
            x[:, 2:] * xp.cos(xp.arange(3.0))[:, None] + x[:, :2] * xp.sin(xp.arange(3.0))[:, None],
        ],
        axis=1,
    ),
    "embedding": lambda xp, x: xp.sum(x[xp.asarray(LABELS % 3)] * xp.tanh(x), axis=1),
    "mixture of experts": lambda xp, x: xp.einsum(
        "ne,neo->no", softmax(xp, x[:, :2]), xp.einsum("ni,eio->neo", x, _experts(xp))
    ),
    "average pooling": lambda xp, x: xp.mean(xp.reshape(x, (3, 2, 2)), axis=-1) ** 2,
    "largest pooling": lambda xp, x: xp.max(xp.reshape(x, (3, 2, 2)), axis=-1) ** 2,
    "convolution by windows": lambda xp, x: sum(x[:, i : i + 2] * (i + 1.0) for i in range(3)) ** 2,
    "recurrence": lambda xp, x: _recurrence(xp, x),
    "lstm": lambda xp, x: _lstm(xp, x),
    "selective scan": lambda xp, x: _scan(xp, x),
    "deep": lambda xp, x: _deep(xp, x),
}

NUMERICS = {
    "pendulum": lambda xp, x: _steps(lambda q, p: (q + 0.1 * p, p - 0.1 * xp.sin(q)), x, 10),
    "kepler": lambda xp, x: _kepler(xp, x),
    "runge-kutta": lambda xp, x: _runge_kutta(lambda y: xp.sin(y) - 0.3 * y, x, 5),
    "implicit step": lambda xp, x: xp.linalg.solve(xp.eye(3) * 5 + x[:, :3], x[:, 0]),
    "lotka-volterra": lambda xp, x: _steps(
        lambda a, b: (a + 0.05 * a * (1 - b), b + 0.05 * b * (a - 1)), xp.exp(x / 4), 12
    ),
    "heat": lambda xp, x: _repeat(
        lambda u: u + 0.2 * (xp.roll(u, 1, 1) + xp.roll(u, -1, 1) - 2 * u), x, 8
    ),
    "burgers": lambda xp, x: _repeat(lambda u: u - 0.05 * u * (u - xp.roll(u, 1, 1)), x, 8),
    "lennard-jones": lambda xp, x: _pairs(xp, x * 2, lambda r2: r2**-6 - r2**-3),
    "gravity": lambda xp, x: _pairs(xp, x, lambda r2: -1 / xp.sqrt(r2 + 0.1)),
    "springs": lambda xp, x: (
        0.5 * xp.sum((xp.sqrt(xp.sum(xp.diff(x, axis=0) ** 2, axis=1)) - 1) ** 2)
    ),
    "trapezoid rule": lambda xp, x: xp.sum((xp.sin(x[:, 1:]) + xp.sin(x[:, :-1])) / 2, axis=1),
    "simpson rule": lambda xp, x: (
        (xp.exp(x[:, :1]) + 4 * xp.exp(x[:, 1:2]) + xp.exp(x[:, 2:3])) / 6
    ),
    "fixed point": lambda xp, x: _repeat(lambda y: xp.cos(y) * x / 3, x, 15),
    "newton": lambda xp, x: _repeat(lambda y: y - (y**3 - x * x - 2) / (3 * y * y), 1.5 + 0 * x, 6),
    "momentum": lambda xp, x: _momentum(xp, x),
    "adam": lambda xp, x: _adam(xp, x),
    "interpolation": lambda xp, x: x[:, :-1] + 0.3 * (x[:, 1:] - x[:, :-1]),
    "bezier": lambda xp, x: sum(x[:, i] * c for i, c in enumerate((0.343, 0.441, 0.189, 0.027))),
    "cubic spline": lambda xp, x: (
        (((2 * x[:, 1] - 3 * x[:, 0]) * 0.4 + x[:, 2]) * 0.4 + x[:, 3]) * 0.4
    ),
    "rotation": lambda xp, x: _rotation(xp, x[0, 0]) @ x[:2],
    "quaternion": lambda xp, x: _rotate(xp, x[0] / xp.sqrt(x[0] @ x[0]), x[1, :3]),
    "barycentric": lambda xp, x: xp.linalg.solve(x[:, :3] + 4 * xp.eye(3), xp.ones((3,))),
    "kalman": lambda xp, x: _kalman(xp, x),
    "black-scholes": lambda xp, x: _option(xp, x),
    "forward algorithm": lambda xp, x: _forward(xp, x),
    "soft sorting": lambda xp, x: (
        softmax(xp, -xp.abs(x[:, :, None] - xp.sort(x)[:, None, :])) @ xp.arange(4.0)
    ),
    "sinkhorn": lambda xp, x: _sinkhorn(xp, x),
    "ray and sphere": lambda xp, x: (lambda b, c: -b - xp.sqrt(xp.maximum(b * b - c, 0.1)))(
        xp.sum(x, axis=1), xp.sum(x * x, axis=1) - 9
    ),
    "signed distance": lambda xp, x: xp.minimum(
        xp.sqrt(xp.sum(x * x, axis=1)) - 1, xp.max(xp.abs(x), axis=1) - 0.7
    ),
}


def _experts(xp):
    return xp.asarray(np.cos(np.arange(24.0)).reshape(2, 4, 3))


def _recurrence(xp, x):
    h = xp.zeros((5,))
    for i in range(3):
        h = xp.tanh(x[i] @ weights(xp) + 0.5 * h)
    return h


def _lstm(xp, x):
    h, c = xp.zeros((4,)), xp.zeros((4,))
    for i in range(3):
        gates = x[i] @ weights(xp, 4, 16) + h @ weights(xp, 4, 16)[:, ::-1]
        a, b, g, o = xp.split(gates, 4)
        c = sigmoid(xp, a) * c + sigmoid(xp, b) * xp.tanh(g)
        h = sigmoid(xp, o) * xp.tanh(c)
    return xp.concatenate([h, c])


def _scan(xp, x):
    state, states = xp.zeros((4,)), []
    for i in range(3):
        state = xp.exp(-xp.abs(x[i])) * state + x[i] ** 2
        states.append(state)
    return xp.stack(states)


def _deep(xp, x):
    for _ in range(20):
        x = layer_norm(xp, x + 0.3 * xp.tanh(x @ weights(xp, 4, 4)))
    return x


def _steps(step, x, count):
    q, p = x[:, :2], x[:, 2:]
    for _ in range(count):
        q, p = step(q, p)
    return q * p


def _repeat(step, x, count):
    for _ in range(count):
        x = step(x)
    return x


def _kepler(xp, x):
    q, p = x[:, :2] + 2, x[:, 2:]
    for _ in range(5):
        p = p - 0.1 * q / xp.sum(q * q, axis=1, keepdims=True) ** 1.5
        q = q + 0.1 * p
    return xp.concatenate([q, p], axis=1)


def _runge_kutta(f, y, count, h=0.2):
    for _ in range(count):
        a = f(y)
        b = f(y + h / 2 * a)
        c = f(y + h / 2 * b)
        d = f(y + h * c)
        y = y + h / 6 * (a + 2 * b + 2 * c + d)
    return y


def _pairs(xp, x, potential):
    r2 = xp.sum((x[:, None] - x[None]) ** 2, axis=-1) + 9 * xp.eye(3)
    return xp.sum(potential(r2) * (1 - xp.eye(3))) / 2


def _momentum(xp, x):
    v = xp.zeros_like(x)
    for _ in range(5):
        v = 0.9 * v - 0.1 * (x**3 - x)
        x = x + v
    return x


def _adam(xp, x):
    m, v = xp.zeros_like(x), xp.zeros_like(x)
    for t in range(1, 4):
        g = xp.sin(x) + 2
        m, v = 0.9 * m + 0.1 * g, 0.99 * v + 0.01 * g * g
        x = x - 0.1 * (m / (1 - 0.9**t)) / (xp.sqrt(v / (1 - 0.99**t)) + 1e-8)
    return x


def _rotation(xp, angle):
    c, s = xp.cos(angle), xp.sin(angle)
    return xp.stack([xp.stack([c, -s]), xp.stack([s, c])])


def _rotate(xp, q, v):
    w, u = q[0], q[1:]
    return v + 2 * xp.cross(u, xp.cross(u, v) + w * v)


def _kalman(xp, x):
    mean, variance = x[0], 1 + 0 * x[0]
    for i in range(1, 3):
        variance = variance + 0.1
        gain = variance / (variance + xp.exp(x[i]))
        mean, variance = mean + gain * (x[i] - mean), (1 - gain) * variance
    return mean + variance


def _option(xp, x):
    price, volatility = xp.exp(x[0] / 3), 0.2 + sigmoid(xp, x[1])
    d = xp.log(price) / volatility + volatility / 2
    return price * sigmoid(xp, 1.7 * d) - sigmoid(xp, 1.7 * (d - volatility))


def _forward(xp, x):
    logs = log_softmax(xp, weights(xp, 4, 4))
    alpha = x[0]
    for i in range(1, 3):
        scores = alpha[:, None] + logs
        most = xp.max(scores, axis=0)
        alpha = x[i] + most + xp.log(xp.sum(xp.exp(scores - most), axis=0))
    return alpha


def _sinkhorn(xp, x):
    for _ in range(4):
        x = x - xp.log(xp.sum(xp.exp(x), axis=1, keepdims=True))
        x = x - xp.log(xp.sum(xp.exp(x), axis=0, keepdims=True))
    return xp.exp(x)

# SPDX-License-Identifier: Apache-2.0
"""Whole networks of plain torch.nn, with norms that count batches, trained through torch.compile's
backend and by eager torch: outputs, losses, parameters, graphs, and what is left to torch."""

import pytest

import joggle.torch
from joggle._torch.backend import reporting

torch = pytest.importorskip("torch")
nn = torch.nn

RATE = 0.01
# Steps for which a training stays within 1e-4 of one whose numbers differ in their last digits. In
# float32 that is soon over, also between two runs of eager torch: an element changes its side of a
# relu, or of the largest of a window. In float64 the digits that differ are too small for that.
STEPS = {torch.float64: 20, torch.float32: 2}


@pytest.fixture(autouse=True)
def one_thread():
    """The images are small: threads would wait for each other for longer than they work."""
    count = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(count)


def _normed(inside, outside, stride=1, extent=3):
    convolution = nn.Conv2d(inside, outside, extent, stride, extent // 2, bias=False)
    return nn.Sequential(convolution, nn.BatchNorm2d(outside))


class Residual(nn.Module):
    def __init__(self, inside, outside, stride):
        super().__init__()
        self.first = _normed(inside, outside, stride)
        self.second = _normed(outside, outside)
        has_its_shape = stride == 1 and inside == outside
        self.across = nn.Identity() if has_its_shape else _normed(inside, outside, stride, 1)

    def forward(self, x):
        return torch.relu(self.second(torch.relu(self.first(x))) + self.across(x))


class ResNet18(nn.Module):
    def __init__(self, width=4, classes=5):
        super().__init__()
        self.stem = nn.Sequential(_normed(3, width, 2, 7), nn.ReLU(), nn.MaxPool2d(3, 2, 1))
        blocks, inside = [], width
        for level in range(4):
            for stride in (2 if level > 0 else 1, 1):
                blocks.append(Residual(inside, width << level, stride))
                inside = width << level
        self.blocks = nn.Sequential(*blocks)
        self.last = nn.Linear(inside, classes)

    def forward(self, x):
        x = self.blocks(self.stem(x))
        return self.last(nn.functional.adaptive_avg_pool2d(x, 1).flatten(1))


def _twice(inside, outside):
    first, second = _normed(inside, outside), _normed(outside, outside)
    return nn.Sequential(first, nn.ReLU(), second, nn.ReLU())


class UNet(nn.Module):
    def __init__(self, width=4, levels=3, classes=2):
        super().__init__()
        widths = [width << level for level in range(levels + 1)]
        self.down = nn.ModuleList(map(_twice, [3, *widths[:-1]], widths))
        above = widths[-2::-1]
        self.up = nn.ModuleList(nn.ConvTranspose2d(2 * w, w, 2, 2) for w in above)
        self.join = nn.ModuleList(_twice(2 * w, w) for w in above)
        self.last = nn.Conv2d(width, classes, 1)

    def forward(self, x):
        beside = []
        for block in self.down:
            x = block(nn.functional.max_pool2d(x, 2) if beside else x)
            beside.append(x)
        for up, join, kept in zip(self.up, self.join, beside[-2::-1], strict=True):
            x = join(torch.cat([kept, up(x)], 1))
        return self.last(x)


# A network, its input and the classes of it. Each level has enough pixels for norms over a batch.
NETWORKS = {
    "ResNet-18": (ResNet18, (4, 3, 64, 64), (4,)),
    "U-Net": (UNet, (2, 3, 32, 32), (2, 32, 32)),
}


def _train(make, x, classes, compile, steps):
    """The first output, the losses, and the model, which learns what random inputs are."""
    torch.manual_seed(1)
    model, first, losses = make().to(x.dtype), None, []
    run = joggle.torch.compile(model) if compile else model
    optimizer = torch.optim.SGD(model.parameters(), lr=RATE)
    for _ in range(steps):
        optimizer.zero_grad()
        found = run(x)
        first = found.detach().clone() if first is None else first
        loss = nn.functional.cross_entropy(found, classes)
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return first, torch.stack(losses), model


def _check_graphs(report):
    """One graph forward and one backward; pooling whose indices are asked for is torch's."""
    graphs = [graph for made in report for graph in made.all()]
    assert sorted(graph.name for graph in graphs) == ["backward", "forward"]
    left = {n.target for graph in graphs for n in graph.cut.reasons if not n.name.startswith("get")}
    assert {str(target) for target in left} == {
        "aten.max_pool2d_with_indices.default",
        "aten.max_pool2d_with_indices_backward.default",
    }


@pytest.mark.part(2, of="name")
@pytest.mark.timeout(300)
@pytest.mark.parametrize("dtype", STEPS, ids=str)
@pytest.mark.parametrize("name", NETWORKS)
def test_networks_train_as_in_eager_torch(name, dtype):
    make, shape, labelled = NETWORKS[name]
    torch._dynamo.reset()
    torch.manual_seed(0)
    x, classes = torch.randn(shape, dtype=dtype), torch.randint(0, 2, labelled)
    wanted, losses, theirs = _train(make, x, classes, False, STEPS[dtype])
    with reporting() as report:
        found, ours, model = _train(make, x, classes, True, STEPS[dtype])
    torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(ours, losses, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(model.state_dict(), theirs.state_dict(), rtol=1e-4, atol=1e-4)
    _check_graphs(report)


def test_networks_infer_as_in_eager_torch():
    torch._dynamo.reset()
    torch.manual_seed(0)
    model, x = UNet(levels=2).eval(), torch.randn(2, 3, 16, 16)
    with reporting() as report, torch.no_grad():
        found, wanted = joggle.torch.compile(model)(x), model(x)
    torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-4)
    (graph,) = [graph for made in report for graph in made.all()]
    assert graph.cut.reasons == {} and len(graph.cut.steps) == 1

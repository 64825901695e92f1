# SPDX-License-Identifier: Apache-2.0
"""Whole networks of plain torch.nn, with norms that count batches, trained through torch.compile's
backend and by eager torch: outputs, losses, parameters, graphs, and what is left to torch."""

import copy

import pytest

import joggle.torch
from joggle._torch.backend import reporting

torch = pytest.importorskip("torch")
nn = torch.nn

STEPS = 20


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


class Training:
    """A network that learns what random inputs are: outputs and losses of steps, and the state
    before each step. It may take the states of another training before its steps."""

    def __init__(self, name, dtype, compile, states=None):
        make, shape, labelled = NETWORKS[name]
        torch.manual_seed(0)
        x, classes = torch.randn(shape).to(dtype), torch.randint(0, 2, labelled)
        self.model = make().to(dtype)
        run = joggle.torch.compile(self.model) if compile else self.model
        optimizer = torch.optim.SGD(self.model.parameters(), lr=0.01)
        self.outputs, self.losses, self.states = [], [], []
        for step in range(STEPS):
            if states is not None:
                self.model.load_state_dict(states[step])
            self.states.append(copy.deepcopy(self.model.state_dict()))
            optimizer.zero_grad()
            found = run(x)
            loss = nn.functional.cross_entropy(found, classes)
            loss.backward()
            optimizer.step()
            self.outputs.append(found.detach())
            self.losses.append(loss.detach())


def _check_graphs(report):
    """One graph forward and one backward, each a part: pooling has its indices from joggle."""
    graphs = [graph for made in report for graph in made.all()]
    assert sorted(graph.name for graph in graphs) == ["backward", "forward"]
    assert [(len(graph.cut.steps), graph.cut.reasons) for graph in graphs] == [(1, {})] * 2


@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", NETWORKS)
def test_networks_train_as_in_eager_torch(name):
    """In float64. In float32 an element that changes its side of a relu with its last digit is
    enough for losses that differ by 1e-2 later, in eager torch alone as well."""
    torch._dynamo.reset()
    wanted = Training(name, torch.float64, False)
    with reporting() as report:
        found = Training(name, torch.float64, True)
    torch.testing.assert_close(found.losses, wanted.losses, rtol=1e-9, atol=1e-9)
    states = found.model.state_dict(), wanted.model.state_dict()
    torch.testing.assert_close(*states, rtol=1e-9, atol=1e-9)
    _check_graphs(report)


@pytest.mark.part(2)
@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", NETWORKS)
def test_each_step_in_float32_is_eager_torchs(name):
    """Each from the state that eager torch has before the step."""
    torch._dynamo.reset()
    wanted = Training(name, torch.float32, False)
    found = Training(name, torch.float32, True, wanted.states)
    torch.testing.assert_close(found.outputs, wanted.outputs, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(found.losses, wanted.losses, rtol=1e-4, atol=1e-4)


def test_networks_infer_as_in_eager_torch():
    torch._dynamo.reset()
    torch.manual_seed(0)
    model, x = UNet(levels=2).eval(), torch.randn(2, 3, 16, 16)
    with reporting() as report, torch.no_grad():
        found, wanted = joggle.torch.compile(model)(x), model(x)
    torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-4)
    (graph,) = [graph for made in report for graph in made.all()]
    assert graph.cut.reasons == {} and len(graph.cut.steps) == 1

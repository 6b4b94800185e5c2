"""The architectures of Liskowski et al. 2018: their sizes worked out by hand, what they see, and that they play."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import zeroply as zp
from zeroply import _core
from zeroply.games import bits, game
from zeroply.nets import NETS, build, inspect, load, save, untrained
from zeroply.nets.encodings import PLANES, encode, playable
from zeroply.nets.files import Storage

torch = pytest.importorskip("torch")

from zeroply.nets.core_net import CoreNet  # noqa: E402
from zeroply.nets.modules.bag import Bag  # noqa: E402
from zeroply.nets.modules.initialise import initialise  # noqa: E402
from zeroply.nets.modules.staged import Staged  # noqa: E402
from zeroply.nets.output_net import OutputNet  # noqa: E402
from zeroply.nets.torch_net import TorchNet, multiply_adds, weights_of  # noqa: E402

OTHELLO = game("othello")


@pytest.fixture(autouse=True)
def one_thread() -> None:
    _core.set_threads(1)


def in_torch(spec: str, seed: int = 1) -> TorchNet:
    """A net with first weights, and statistics of batch normalisation that are not those of an untouched one."""
    net = untrained(spec, OTHELLO)
    initialise(net.module, seed)
    dice = np.random.default_rng(seed)
    for name, tensor in net.module.state_dict().items():
        if name.endswith(("running_mean", "running_var")):
            low = -0.5 if name.endswith("mean") else 0.5
            tensor.copy_(torch.from_numpy(dice.uniform(low, low + 1, tuple(tensor.shape)).astype(np.float32)))
    net.module.eval()
    return net


def small(spec: str = "conv4(width=0.1, bn=true)", seed: int = 1) -> OutputNet:
    """The same net as the core runs it."""
    trained = build(spec, OTHELLO, weights_of(in_torch(spec, seed).module))
    assert isinstance(trained, OutputNet)
    assert not isinstance(trained, TorchNet)
    return trained


def some_positions(plies: int = 20, n: int = 30) -> zp.Positions:
    positions = OTHELLO.start(n)
    keys = np.arange(n, dtype=np.uint64)
    for _ in range(plies):
        positions.play(zp.player("random", OTHELLO).choose(positions, keys))
    return positions


# Sizes. A 3x3 convolution from a to b maps has 9ab weights, and b biases where there is no batch normalisation; batch
# normalisation of b maps has 2b; a linear layer from a to b units ab + b.
#
# conv4: 1216 + 36928 + 73856 + 147584 (2-64-64-128-128), hidden 128*64*128 + 128, out 128*60 + 60.
# conv6: conv4's convolutions, + 295168 + 590080 (128-256-256), hidden 256*64*128 + 128, out as before.
# conv8, conv10: + 2 * 590080 each.
# conv8(bn): biases 64*2 + 128*2 + 256*4 + 128 = 1536 fall away, 2 * 1536 come in.
# resnet(32): 5 blocks a stage. First 9*2*16 + 32 = 320. Stage 1: 10 * (9*16*16 + 32) = 23360. Stage 2: 9*16*32 + 64 +
#   9 * (9*32*32 + 64) = 4672 + 83520 = 88192. Stage 3: 9*32*64 + 128 + 9 * (9*64*64 + 128) = 18560 + 332928 = 351488.
#   Out 64*60 + 60 = 3900. Sum 467260.
# resnet(56): 9 blocks: 320 + 18 * 2336 + 4672 + 17 * 9280 + 18560 + 17 * 36992 + 3900 = 856124.
# projection: 16*32 + 64 + 32*64 + 128 = 2752 more. Dense head without pooling: 64*64*128 + 128 + 7740 instead of 3900.
# densenet(40): first 9*2*16 = 288. A layer that sees m maps: 2m + 9*12*m = 110m. Block 1: m = 16, 28, ..., 148: sum
#   12 * 82 = 984. Block 2: 160, ..., 292: 12 * 226 = 2712. Block 3: 304, ..., 436: 12 * 370 = 4440.
#   110 * 8136 = 894960. After the blocks 160, 304 and 448 maps: normalisation 2 * 912 = 1824, 1x1 convolutions
#   160^2 + 304^2 = 118016. Out 448*60 + 60 = 26940. Sum 1042028.
# densenet(100): 32 layers a block: m from 16, 400, 784, each block 32 * (m + 186): 32 * (202 + 586 + 970) = 56256;
#   * 110 = 6188160. Maps 400, 784, 1168: 2 * 2352 = 4704; 400^2 + 784^2 = 774656; 288; out 1168*60 + 60 = 70140.
# widenet: first 288. Stack 1: block 1: 32 + 9*16*64 + 128 + 9*64*64 + 16*64 = 47264; five of 2 * (128 + 36864) = 73984.
#   Stack 2: 128 + 73728 + 256 + 147456 + 8192 = 229760; five of 2 * (256 + 147456) = 295424. Stack 3: 256 + 294912 +
#   512 + 589824 + 32768 = 918272; five of 2 * (512 + 589824) = 1180672. End 512, out 256*60 + 60 = 15420.
# dense(1024-512): 128*1024 + 2048 + 1024*512 + 1024 + 512*60 + 60 = 689212.
PARAMETERS = {
    "conv4": 1_316_028,
    "conv6": 3_249_852,
    "conv8": 4_430_012,
    "conv10": 5_610_172,
    "conv4(kernel=5)": 1_316_028 + 16 * (2 * 64 + 64 * 64 + 64 * 128 + 128 * 128),
    "conv8(bn=true)": 4_430_012 + 1_536,
    "resnet": 467_260,
    "resnet(depth=56)": 856_124,
    "resnet(depth=56, pooling=false, projection=true)": 856_124 + 2_752,
    "resnet(pooling=false, head=dense)": 467_260 + 64 * 64 * 128 + 128 + 7_740 - 3_900,
    "densenet": 1_042_028,
    "densenet(depth=100)": 7_037_948,
    "widenet": 288 + 47_264 + 5 * 73_984 + 229_760 + 5 * 295_424 + 918_272 + 5 * 1_180_672 + 512 + 15_420,
    "dense": 689_212,
    "staged(net=conv4)": 4 * 1_316_028,
    "bag(net=conv4, members=3)": 3 * 1_316_028,
}


@pytest.mark.parametrize(("spec", "expected"), PARAMETERS.items())
def test_nets_have_the_number_of_parameters_worked_out_by_hand(spec: str, expected: int) -> None:
    net = untrained(spec, OTHELLO)
    assert net.parameters == expected
    assert sum(p.numel() for p in net.module.parameters()) == expected


def test_multiply_adds_are_counted() -> None:
    convolutions = 64 * 9 * (2 * 64 + 64 * 64 + 64 * 128 + 128 * 128)
    assert multiply_adds(untrained("conv4", OTHELLO)) == convolutions + 128 * 64 * 128 + 128 * 60
    assert multiply_adds(untrained("dense(layers=100)", OTHELLO)) == 128 * 100 + 100 * 60
    assert multiply_adds(untrained("staged(net=dense(layers=100))", OTHELLO)) == 128 * 100 + 100 * 60
    # A stage of half the side costs a quarter for each weight: 64 * 2304 * 10, 16 * (4608 + 9 * 9216), 4 * ...
    by_hand = 64 * (288 + 10 * 2304) + 16 * (4608 + 9 * 9216) + 4 * (18432 + 9 * 36864) + 3840
    assert multiply_adds(untrained("resnet", OTHELLO)) == by_hand


def test_width_scales_maps_and_hidden_units() -> None:
    half = untrained("conv4(width=0.5)", OTHELLO)
    assert half.parameters == 9 * (2 * 32 + 32 * 32 + 32 * 64 + 64 * 64) + 192 + 64 * 64 * 64 + 64 + 64 * 60 + 60


# What goes in and comes out

SMALL = [
    "conv4(width=0.1)",
    "conv6(width=0.1, bn=true, encoding=ones)",
    "conv8(width=0.1, dropout=0.5, encoding=vmoves)",
    "conv10(width=0.1, encoding=turn)",
    "conv4(kernel=5, width=0.1)",
    "resnet(depth=8, width=0.5)",
    "resnet(depth=14, width=0.5, pooling=false, projection=true, head=dense)",
    "densenet(depth=10, growth=4)",
    "densenet(depth=10, growth=4, pooling=true, head=dense)",
    "widenet(width=0.1)",
    "dense(layers=32-16)",
    "dense(layers=32-16, dropout=0.5, bn=false, output=actions)",
    "dense(layers=32, output=value)",
    "staged(net=dense(layers=32), stages=3)",
    "bag(net=dense(layers=32), members=3)",
    "bag(net=dense(layers=32, output=value), members=2)",
]


@pytest.mark.parametrize("spec", SMALL)
def test_every_architecture_prefers_legal_moves_only_and_comes_back_from_its_file(tmp_path: Path, spec: str) -> None:
    net, positions = small(spec), some_positions()
    preferences = net.prefer(positions)
    assert (np.isfinite(preferences) == positions.legal()).all()
    assert len(np.unique(preferences[positions.legal()])) > 20
    path = tmp_path / "net.safetensors"
    save(net, path)
    again = load(str(path), OTHELLO)
    assert (str(again.spec), again.parameters) == (spec, net.parameters)
    assert again.prefer(positions).tobytes() == preferences.tobytes()
    player = zp.player(f'net("{path}")', OTHELLO)
    assert player.prefer(positions).tobytes() == preferences.tobytes()
    ended = some_positions(60, 3)
    assert np.isneginf(net.prefer(ended)).all() == bool(ended.over().all())


def test_the_outputs_are_all_cells_but_the_four_in_the_centre() -> None:
    centre = {OTHELLO.notation.cell(name) for name in ("d4", "d5", "e4", "e5")}
    assert playable(OTHELLO).tolist() == [cell for cell in range(64) if cell not in centre]
    net, positions = small(), some_positions()
    outputs, preferences = net.outputs(positions), net.prefer(positions)
    for place, cell in enumerate(playable(OTHELLO)):
        legal = positions.legal()[:, cell]
        assert (preferences[legal, cell] == outputs[legal, place]).all()


def test_a_batch_is_worth_what_its_positions_are_worth() -> None:
    net, positions = small("resnet(depth=8)"), some_positions(15, 300)
    alone = np.concatenate([net.outputs(position) for position in positions[:40]])
    assert np.array_equal(net.outputs(positions)[:40], alone)


def test_colours_do_not_matter_unless_the_net_sees_whose_turn_it_is() -> None:
    position = OTHELLO.replay("f5d6c3d3c4")
    text = position.text()[0]
    swapped = OTHELLO.parse(text.translate(str.maketrans("XO", "OX")))
    for encoding, same in (("pieces", True), ("vmoves", True), ("turn", False)):
        net = small(f"conv4(width=0.1, encoding={encoding})")
        assert np.array_equal(net.outputs(position), net.outputs(swapped)) == same


def test_nets_see_what_the_examples_show() -> None:
    positions = some_positions(21)
    own, opponent = bits(positions)
    for name, planes in PLANES.items():
        shown = encode(own, opponent, name, black=positions.to_move() > 0)
        assert np.array_equal(shown, positions.planes(planes))


def test_a_net_of_values_judges_the_position_after_each_move() -> None:
    net = small("dense(layers=32, output=value)")
    position = OTHELLO.replay("f5d6c3d3c4")
    for cell in np.flatnonzero(position.legal()[0]):
        child = position.after([int(cell)])
        worth = np.tanh(net.outputs(child)[0, 0])
        assert net.prefer(position)[0, cell] == pytest.approx(-worth, abs=1e-5)
    last = OTHELLO.parse("-O" + "X" * 62 + " X")
    assert net.prefer(last)[0, 0] == 1  # the game is over and Black has won


def test_a_bag_averages_probabilities() -> None:
    one = Bag([in_torch("dense(layers=8)", seed).module for seed in (1, 2)], probabilities=True)
    planes = torch.from_numpy(some_positions().planes())
    with torch.inference_mode():
        mean = sum(net(planes).softmax(dim=1) for net in one.nets) / 2
        assert torch.allclose(one(planes).exp(), mean, atol=1e-6)


def test_stages_are_of_equally_many_moves_and_each_has_its_own_net() -> None:
    staged = Staged([in_torch("dense(layers=8)", seed).module for seed in range(4)], 4, 60)
    positions = zp.Positions(OTHELLO, OTHELLO.start(60).batch)
    keys = np.arange(60, dtype=np.uint64)
    for ply in range(59):  # game k stays where it is after k moves
        live = np.flatnonzero((np.arange(60) > ply) & ~positions.over())
        positions[live] = positions[live].after(zp.player("random", OTHELLO).choose(positions[live], keys[live]))
    planes = torch.from_numpy(positions.planes())
    stages = staged.stage(planes)
    assert stages.tolist() == [(int(number) - 1) // 15 for number in positions.move_number()]
    with torch.inference_mode():
        outputs = staged(planes)
        for row, stage in enumerate(stages.tolist()):
            alone = staged.nets[stage](planes[row : row + 1])[0]
            assert torch.allclose(outputs[row], alone, atol=1e-5)


def test_he_initialisation_has_variance_two_over_fan_in_and_biases_of_zero() -> None:
    net = untrained("conv6", OTHELLO)
    initialise(net.module, 5)
    for name, parameter in net.module.named_parameters():
        values = parameter.detach().numpy()
        if values.ndim < 2:
            assert (values == 0).all()
        else:
            fan_in = values[0].size
            assert abs(values.var() * fan_in / 2 - 1) < 6 * (2 / values.size) ** 0.5, name
    again = untrained("conv6", OTHELLO)
    initialise(again.module, 5)
    assert all(torch.equal(a, b) for a, b in zip(net.module.parameters(), again.module.parameters(), strict=True))


# Files


@pytest.mark.parametrize(("storage", "share", "error"), [("fp16", 0.55, 5e-4), ("int8", 0.35, 1 / 254)])
def test_nets_can_be_stored_small(tmp_path: Path, storage: Storage, share: float, error: float) -> None:
    net = small("conv6(width=0.3)")
    path, whole = tmp_path / "small.safetensors", tmp_path / "whole.safetensors"
    save(net, whole)
    save(net, path, {"about": "small"}, storage)
    assert path.stat().st_size < share * whole.stat().st_size
    again, info = load(str(path), OTHELLO), inspect(str(path))
    assert (info.storage, info.parameters) == (storage, net.parameters)
    for name, array in net.weights.items():
        assert again.weights[name].dtype == np.float32
        off = np.abs(again.weights[name] - array)
        if array.ndim < 2:  # few numbers, which keep 32 bits
            assert not off.any()
            continue
        largest, farthest = (one.reshape(len(array), -1).max(axis=1) for one in (np.abs(array), off))
        assert (farthest <= error * largest + 1e-7).all()  # each channel has a scale of its own
    save(again, path, storage=storage)  # what was rounded once stays as it is
    for name, array in load(str(path), OTHELLO).weights.items():
        np.testing.assert_allclose(array, again.weights[name], rtol=1e-6, atol=1e-9)


def test_a_damaged_small_file_is_refused(tmp_path: Path) -> None:
    from safetensors.numpy import load_file
    from safetensors.numpy import save as to_bytes

    net, path = small("dense(layers=8)"), tmp_path / "net.safetensors"
    save(net, path, storage="int8")
    arrays = load_file(path)
    metadata = {
        "format": "zeroply-net 1",
        "game": "othello",
        "net": "dense(layers=8)",
        "encoding": "",
        "training": "{}",
        "storage": "int8",
    }
    scale = next(name for name in arrays if name.endswith(".scale"))
    for changed in (
        {name: array for name, array in arrays.items() if name != scale},
        {**arrays, scale: arrays[scale][1:]},
        {**arrays, scale: np.full_like(arrays[scale], np.nan)},
    ):
        path.write_bytes(to_bytes(changed, metadata))
        with pytest.raises(zp.ZeroplyError, match=r"scale|finite"):
            load(str(path), OTHELLO)
    path.write_bytes(to_bytes(arrays, {**metadata, "storage": "int4"}))
    with pytest.raises(zp.ZeroplyError, match="unknown storage 'int4'"):
        load(str(path), OTHELLO)


def test_weights_that_do_not_fit_are_refused() -> None:
    weights = dict(small("dense(layers=8)").weights)
    fewer = {name: array for name, array in weights.items() if name != "layers.1.weight"}
    with pytest.raises(zp.ZeroplyError, match=r"'layers\.1\.weight' is missing"):
        build("dense(layers=8)", OTHELLO, fewer)
    with pytest.raises(zp.ZeroplyError, match="shape"):
        build("dense(layers=9)", OTHELLO, weights)
    with pytest.raises(zp.ZeroplyError, match="unexpected"):
        build("dense(layers=8)", OTHELLO, {**weights, "more": np.zeros(3, np.float32)})
    name = next(iter(weights))
    with pytest.raises(zp.ZeroplyError, match="contains NaN"):
        build("dense(layers=8)", OTHELLO, {**weights, name: np.full_like(weights[name], np.inf)})


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("resnet(depth=33)", "6n"),
        ("densenet(depth=41)", "3n"),
        ("conv4(width=0)", "width"),
        ("conv4(dropout=1)", "dropout"),
        ("conv4(kernel=4)", "kernel must be 3, 5 or 7"),
        ("conv4(encoding=colours)", "one of pieces, ones, vmoves, turn"),
        ("dense(layers=a-b)", "layers are sizes"),
        ("dense(layers=0)", "layers are sizes"),
        ("staged(net=wpc)", "wpc"),
        ("bag(members=0)", "1 to 100"),
        ("conv5", "unknown net"),
    ],
)
def test_bad_architectures_are_explained(spec: str, says: str) -> None:
    with pytest.raises(zp.ZeroplyError, match=says):
        untrained(spec, OTHELLO)


def test_a_board_that_is_too_small_to_be_halved_is_refused() -> None:
    with pytest.raises(zp.ZeroplyError, match="side 3 is too small"):
        untrained("densenet(depth=7, pooling=true)", "hex(size=3)")
    assert untrained("resnet(depth=8)", "hex(size=3)").outputs(game("hex(size=3)").start()).shape == (1, 9)


def without_torch(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Give a command where torch cannot be imported."""
    hidden = folder / "hidden" / "torch"
    hidden.mkdir(parents=True, exist_ok=True)
    (hidden / "__init__.py").write_text("raise ModuleNotFoundError(\"No module named 'torch'\", name='torch')\n")
    return subprocess.run(
        [sys.executable, "-m", "zeroply", *words],
        env={"PYTHONPATH": os.pathsep.join((str(hidden.parent), os.environ.get("PYTHONPATH", ""))), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )


def test_without_torch_the_sentence_says_what_to_install(tmp_path: Path) -> None:
    done = without_torch(tmp_path, "train", "conv4", "--data", "x", "--run", "y")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1].endswith("pip install '.[train]'")


@pytest.mark.parametrize("spec", ["conv4(width=0.1, bn=true)", "bag(net=resnet(depth=8), members=2)"])
def test_without_torch_a_trained_net_plays(tmp_path: Path, spec: str) -> None:
    path = tmp_path / "net.safetensors"
    net = small(spec)
    save(net, path)
    done = without_torch(tmp_path, "show", "--moves", "f5d6", "--player", f'net("{path}")', "--json")
    assert done.returncode == 0, done.stderr
    wanted = net.prefer(OTHELLO.replay("f5d6"))[0]
    for move, preference in json.loads(done.stdout)["preferences"].items():
        assert preference == wanted[OTHELLO.notation.cell(move)]
    done = without_torch(tmp_path, "match", f'net("{path}")', "random", "--games", "2", "--json")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("spec", SMALL)
def test_the_core_computes_what_torch_computes(spec: str) -> None:
    net, positions = in_torch(spec), some_positions()
    wanted = net.outputs(positions)
    assert np.abs(small(spec).outputs(positions) - wanted).max() <= 1e-4 * max(1.0, float(np.abs(wanted).max()))


@pytest.mark.parametrize(
    "spec", ["conv4(width=0.2)", "resnet(depth=8, projection=true)", "densenet(depth=7, growth=8)"]
)
def test_the_core_runs_nets_of_other_board_sizes(spec: str) -> None:
    rules = game("gomoku(size=9)")
    net, positions = untrained(spec, rules), rules.start(7)
    for move in (40, 41, 31):
        positions.play(np.full(7, move, np.int32))
    core = build(spec, rules, weights_of(net.module))
    assert isinstance(core, CoreNet)
    np.testing.assert_allclose(core.outputs(positions), net.outputs(positions), atol=1e-4)


def test_the_core_chooses_the_moves_of_torch() -> None:
    spec = "conv8(bn=true, width=0.1)"
    ours, theirs = small(spec), in_torch(spec)
    positions = some_positions(24, 2000)
    mine, other = ours.prefer(positions), theirs.prefer(positions)
    live = positions.legal().any(axis=1)
    chosen = mine[live].argmax(axis=1)
    ranked = np.sort(other[live], axis=1)
    tie = ranked[:, -1] - ranked[:, -2] < 1e-4
    assert (tie | (chosen == other[live].argmax(axis=1))).all()
    assert tie.mean() < 0.05


@pytest.mark.parametrize("spec", SMALL)
def test_outputs_depend_neither_on_the_batch_nor_on_the_threads(spec: str) -> None:
    net, positions = small(spec), some_positions(20, 70)
    wanted = net.outputs(positions)
    for threads in (1, 3):
        _core.set_threads(threads)
        for rows in (slice(0, 70), slice(5, 6), slice(3, 41)):
            assert np.array_equal(net.outputs(positions[rows]), wanted[rows])
    assert net.outputs(positions[:0]).shape == (0, net.output_size)


def test_torch_runs_a_net_where_a_device_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    net = small()
    for device, kind in (("cpu", CoreNet), ("cpu:0", TorchNet)):
        monkeypatch.setenv("ZEROPLY_DEVICE", device)
        assert type(build(net.spec, OTHELLO, net.weights)) is kind


def test_operations_that_do_not_fit_are_refused() -> None:
    program = _core.ConvNet(2, 8)
    weights, shift = np.zeros((4, 9, 2), np.float32), np.zeros(4, np.float32)
    for call in (
        lambda: program.conv(1, 2, weights, shift, 1, False),
        lambda: program.conv(0, 5, weights, shift, 1, False),
        lambda: program.conv(0, 0, weights, shift, 1, False),
        lambda: program.conv(0, 1, weights, shift, 0, False),
        lambda: program.conv(0, 1, weights[:, :8].copy(), shift, 1, False),
        lambda: program.conv(0, 1, weights, shift[:3].copy(), 1, False),
        lambda: program.linear(0, 1, np.zeros((4, 100), np.float32), shift, False),
        lambda: program.affine(0, 1, shift, shift, False),
        lambda: program.shortcut(0, 1, 1, 1),
        lambda: program.run(np.zeros((3, 127), np.float32), 0, np.zeros((3, 128), np.float32)),
        lambda: program.run(np.zeros((3, 128), np.float32), 1, np.zeros((3, 128), np.float32)),
        lambda: _core.ConvNet(0, 8),
    ):
        with pytest.raises(ValueError, match=r"slot|axis|weights|no such"):
            call()
    program.conv(0, 1, weights, shift, 1, False)
    with pytest.raises(ValueError, match="same shape"):
        program.add(0, 1, 2, False)


def test_without_torch_nets_are_listed_but_for_the_sizes_it_counts(tmp_path: Path) -> None:
    done = without_torch(tmp_path, "nets")
    assert done.returncode == 0, done.stderr
    assert all(word in done.stdout for word in ("densenet(depth=100)", "net(othello)", "pip install '.[train]'"))
    listed = json.loads(without_torch(tmp_path, "nets", "--json").stdout)
    weights = {row["net"]: row["weights"] for row in listed["sizes"]}
    assert (weights["conv8"], weights["mdrnn(k=10)"]) == (None, 140)
    assert listed["architectures"]
    assert listed["shipped"]


def test_listing_nets_does_not_need_torch() -> None:
    code = "import sys; from zeroply.nets import NETS; NETS.entries(); print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
    assert {"conv4", "conv6", "conv8", "conv10", "resnet", "densenet", "widenet", "dense", "staged", "bag"} <= set(NETS)

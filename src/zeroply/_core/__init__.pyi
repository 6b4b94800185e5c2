from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

LEVEL: str

class BadPosition(ValueError): ...
class Cancelled(Exception): ...

class Cancellation:
    def cancel(self) -> None: ...
    @property
    def cancelled(self) -> bool: ...

def obey(by: Cancellation | None) -> None: ...
def set_threads(count: int) -> None: ...
def threads() -> int: ...
def choose(
    preferences: NDArray[np.float32],
    keys: NDArray[np.uint64],
    counters: NDArray[np.uint64],
    temperature: float,
    lowest: bool,
    moves: NDArray[np.int32],
) -> int: ...

class Batch:
    def __len__(self) -> int: ...
    def select(self, index: NDArray[np.int64]) -> Batch: ...
    def assign(self, index: NDArray[np.int64], other: Batch) -> None: ...
    def image(self, symmetry: int) -> Batch: ...
    def play(self, moves: NDArray[np.int32]) -> int: ...
    def remember(self, last: NDArray[np.int32], passed: NDArray[np.uint8]) -> None: ...
    def legal(self, out: NDArray[np.uint8]) -> None: ...
    def stones(self, out: NDArray[np.int8]) -> None: ...
    def over(self, out: NDArray[np.uint8]) -> None: ...
    def mover(self, out: NDArray[np.uint8]) -> None: ...
    def score(self, out: NDArray[np.int32]) -> None: ...
    def move_number(self, out: NDArray[np.int32]) -> None: ...
    def last_move(self, out: NDArray[np.int32]) -> None: ...
    def passed(self, out: NDArray[np.uint8]) -> None: ...
    def captured(self, out: NDArray[np.int32]) -> None: ...
    def ko(self, out: NDArray[np.int32]) -> None: ...
    def liberties(self, out: NDArray[np.int32]) -> None: ...
    def hash(self, out: NDArray[np.uint64]) -> None: ...
    def planes(self, kinds: list[int], out: NDArray[np.float32]) -> None: ...
    def child_values(self, discs: bool, out: NDArray[np.float32]) -> None: ...
    def child_weights(self, weights: NDArray[np.float32], out: NDArray[np.float32]) -> None: ...
    def random_moves(self, keys: NDArray[np.uint64], out: NDArray[np.int32]) -> None: ...

class Tally:
    @property
    def games(self) -> int: ...
    @property
    def plies(self) -> int: ...
    @property
    def black_wins(self) -> int: ...
    @property
    def white_wins(self) -> int: ...

class Game:
    @property
    def size(self) -> int: ...
    def start(self, n: int) -> Batch: ...
    def make(
        self,
        stones: NDArray[np.int8],
        mover: NDArray[np.uint8],
        captured: NDArray[np.int32],
        ko: NDArray[np.int32],
    ) -> Batch: ...
    def perft(self, position: Batch, depth: int) -> int: ...
    def random_games(self, key: int, games: int) -> Tally: ...

def array_game(
    size: int,
    start: NDArray[np.int8],
    advance: Callable[
        [NDArray[np.int8], NDArray[np.uint8], NDArray[np.int32]],
        tuple[NDArray[np.int8], NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint8], NDArray[np.int32]],
    ],
) -> Game: ...

class PatternTables:
    def __init__(
        self,
        plies: NDArray[np.int32],
        weights: NDArray[np.int16],
        bias: NDArray[np.int16],
        deviations: NDArray[np.float32],
    ) -> None: ...

PATTERN_DEPTHS: int
PATTERN_WEIGHTS: int

class SearchTable:
    def __init__(self, log2_entries: int) -> None: ...

class Evaluation:
    def search(
        self,
        batch: Batch,
        depth: int,
        nodes: int,
        seconds: float,
        strong: bool,
        table: bool,
        all_moves: bool,
        ends_by_board: bool,
        threads: int,
        together: bool,
        kept: SearchTable | None,
        preferences: NDArray[np.float32],
        scores: NDArray[np.float32],
        depths: NDArray[np.int32],
        visited: NDArray[np.uint64],
        lines: NDArray[np.int16],
    ) -> None: ...
    def values(self, batch: Batch, out: NDArray[np.float32]) -> None: ...

def pieces() -> Evaluation: ...
def weighted_pieces(weights: list[float]) -> Evaluation: ...
def mobility() -> Evaluation: ...
def open_lines() -> Evaluation: ...
def connection_distance() -> Evaluation: ...
def chain_liberties() -> Evaluation: ...
def ntuples(
    squares: list[list[int]], tables: list[int], weights: list[float], exchange_colours: bool
) -> Evaluation: ...
def iagno(weights: list[float]) -> Evaluation: ...
def patterns(tables: PatternTables) -> Evaluation: ...
def solve(
    batch: Batch,
    tables: PatternTables | None,
    alpha: int,
    beta: int,
    max_nodes: int,
    seconds: float,
    log2_entries: int,
    scores: NDArray[np.int32],
    moves: NDArray[np.int32],
    nodes: NDArray[np.uint64],
    complete: NDArray[np.uint8],
) -> None: ...
def search_threats(
    batch: Batch,
    rules: int,
    depth: int,
    nodes: int,
    seconds: float,
    all_moves: bool,
    preferences: NDArray[np.float32],
    scores: NDArray[np.float32],
    depths: NDArray[np.int32],
    visited: NDArray[np.uint64],
) -> None: ...
def find_forced_wins(
    batch: Batch,
    rules: int,
    strongest_only: bool,
    nodes: int,
    seconds: float,
    plies: NDArray[np.int32],
    lines: NDArray[np.int32],
    visited: NDArray[np.uint64],
    complete: NDArray[np.uint8],
) -> None: ...
def fit_patterns(
    own: NDArray[np.uint64],
    opponent: NDArray[np.uint64],
    target: NDArray[np.float32],
    wild: NDArray[np.uint8],
    plies: NDArray[np.int32],
    ridge: float,
    cells: float,
    stages: float,
    iterations: int,
    end: int,
    white: NDArray[np.float32],
    weights: NDArray[np.float32],
    bias: NDArray[np.float32],
) -> float: ...
def pattern_parameters(stages: int) -> int: ...

class TupleShape:
    def __init__(self, squares: list[list[int]], tables: list[int]) -> None: ...
    @property
    def weights(self) -> int: ...

def td_self_play(
    shape: TupleShape,
    weights: NDArray[np.float32],
    key: int,
    first: int,
    games: int,
    rate: float,
    epsilon: float,
    lambda_: float,
    plies: int,
) -> tuple[float, int]: ...
def play_ntuple_games(
    shape: TupleShape,
    weights: NDArray[np.float32],
    black: NDArray[np.int32],
    white: NDArray[np.int32],
    openings: NDArray[np.uint64],
    keys: NDArray[np.uint64],
    plies: int,
    results: NDArray[np.int8],
) -> None: ...

class ExampleSet:
    def __init__(
        self, own: NDArray[np.uint64], opponent: NDArray[np.uint64], move: NDArray[np.uint8], whole: int
    ) -> None: ...
    def __len__(self) -> int: ...
    def take(
        self,
        rows: NDArray[np.uint32],
        own: NDArray[np.uint64],
        opponent: NDArray[np.uint64],
        move: NDArray[np.uint8],
    ) -> None: ...
    def draw(
        self,
        rows: NDArray[np.uint32],
        order: int,
        sample: int,
        images: int,
        replacement: bool,
        symmetries: bool,
        begin: int,
        own: NDArray[np.uint64],
        opponent: NDArray[np.uint64],
        move: NDArray[np.uint8],
    ) -> None: ...
    def predictable(self, symmetric: bool, distinct: bool) -> int: ...
    def transcript_keys(self, first: NDArray[np.int64], keys: NDArray[np.uint64]) -> None: ...
    def split_by_game(
        self,
        all: ExampleSet,
        first: NDArray[np.int64],
        tested: NDArray[np.uint8],
        equality: int,
        side: NDArray[np.uint8],
    ) -> None: ...

def replay_examples(
    moves: NDArray[np.uint8],
    first: NDArray[np.int64],
    black: NDArray[np.uint64],
    white: NDArray[np.uint64],
    white_first: NDArray[np.uint8],
    own: NDArray[np.uint64],
    opponent: NDArray[np.uint64],
    move: NDArray[np.uint8],
    played: NDArray[np.int32],
) -> None: ...
def unique_examples(
    own: NDArray[np.uint64], opponent: NDArray[np.uint64], move: NDArray[np.uint8], orbits: bool
) -> tuple[int, int]: ...
def split_by_position(key: int, tests: int, side: NDArray[np.uint8]) -> None: ...
def count_side(side: NDArray[np.uint8], wanted: int) -> int: ...
def rows_on_side(side: NDArray[np.uint8], wanted: int, rows: NDArray[np.uint32]) -> None: ...
def permutation(key: int, n: int, begin: int, out: NDArray[np.uint64]) -> None: ...
def encode_examples(
    own: NDArray[np.uint64],
    opponent: NDArray[np.uint64],
    black: NDArray[np.uint8],
    kinds: list[int],
    out: NDArray[np.float32],
) -> None: ...
def othello(size: int) -> Game: ...
def gomoku(size: int, exactly_five: bool) -> Game: ...
def hex(size: int, swap: bool) -> Game: ...
def atarigo(size: int, captures: int, suicide_loses: bool) -> Game: ...

class LinesNet:
    def __init__(
        self,
        masks: NDArray[np.uint64],
        table: NDArray[np.float32],
        basis: NDArray[np.float32],
        signs: Sequence[NDArray[np.float32]],
        pairs: Sequence[NDArray[np.float32]],
        shifts: Sequence[NDArray[np.float32]],
        cells: NDArray[np.int32],
    ) -> None: ...
    def prefer(self, batch: Batch, all: bool, out: NDArray[np.float32]) -> None: ...

class Mdrnn:
    def __init__(self, hidden: int, layers: int, lstm: bool, distances: int, features: int) -> None: ...
    @property
    def parameters(self) -> int: ...
    def prefer(
        self, weights: NDArray[np.float32], members: NDArray[np.int32], batch: Batch, out: NDArray[np.float32]
    ) -> None: ...
    def values(
        self, weights: NDArray[np.float32], members: NDArray[np.int32], batch: Batch, out: NDArray[np.float32]
    ) -> None: ...
    def child_values(
        self, weights: NDArray[np.float32], members: NDArray[np.int32], batch: Batch, out: NDArray[np.float32]
    ) -> None: ...
    def play(
        self,
        weights: NDArray[np.float32],
        black: NDArray[np.int32],
        white: NDArray[np.int32],
        starts: Batch,
        keys: NDArray[np.uint64],
        temperature: float,
        lowest: bool,
        scores: NDArray[np.int32],
        lengths: NDArray[np.int32],
    ) -> None: ...
    def play_by_values(
        self,
        weights: NDArray[np.float32],
        black: NDArray[np.int32],
        white: NDArray[np.int32],
        starts: Batch,
        keys: NDArray[np.uint64],
        temperature: float,
        lowest: bool,
        scores: NDArray[np.int32],
        lengths: NDArray[np.int32],
    ) -> None: ...
    def evaluation(self, vector: NDArray[np.float32], size: int) -> Evaluation: ...
    def sweeps(self, vector: NDArray[np.float32], batch: Batch, out: NDArray[np.float32]) -> None: ...

def features(kind: int, batch: Batch, out: NDArray[np.float32]) -> None: ...

class Mlp:
    def __init__(self, cells: int, hidden: int) -> None: ...
    @property
    def parameters(self) -> int: ...
    def prefer(
        self, weights: NDArray[np.float32], members: NDArray[np.int32], batch: Batch, out: NDArray[np.float32]
    ) -> None: ...
    def play(
        self,
        weights: NDArray[np.float32],
        black: NDArray[np.int32],
        white: NDArray[np.int32],
        starts: Batch,
        keys: NDArray[np.uint64],
        temperature: float,
        lowest: bool,
        scores: NDArray[np.int32],
        lengths: NDArray[np.int32],
    ) -> None: ...

def normals(keys: NDArray[np.uint64], counters: NDArray[np.uint64], out: NDArray[np.float64]) -> None: ...
def mutate(
    weights: NDArray[np.float32],
    steps: NDArray[np.float32],
    parents: NDArray[np.int32],
    keys: NDArray[np.uint64],
    tau: float,
    one_draw: bool,
    child_weights: NDArray[np.float32],
    child_steps: NDArray[np.float32],
) -> None: ...

class SpatialShape:
    def __init__(self, patterns: list[list[int]], discs: bool, limit: float) -> None: ...
    @property
    def parameters(self) -> int: ...

class SpatialNets:
    def __init__(self, shape: SpatialShape, weights: NDArray[np.float32]) -> None: ...
    def __len__(self) -> int: ...
    def values(self, batch: Batch, members: NDArray[np.int32], out: NDArray[np.float32]) -> None: ...
    def prefer(self, batch: Batch, members: NDArray[np.int32], out: NDArray[np.float32]) -> None: ...
    def play(
        self,
        black: NDArray[np.int32],
        white: NDArray[np.int32],
        scores: NDArray[np.int32],
        moves: NDArray[np.int8] | None,
        starts: Batch | None = None,
        keys: NDArray[np.uint64] | None = None,
    ) -> None: ...

def spatial_evaluation(shape: SpatialShape, weights: NDArray[np.float32]) -> Evaluation: ...

class ConvNet:
    def __init__(self, planes: int, side: int) -> None: ...
    def conv(
        self,
        source: int,
        target: int,
        weights: NDArray[np.float32],
        shift: NDArray[np.float32],
        stride: int,
        relu: bool,
    ) -> None: ...
    def linear(
        self, source: int, target: int, weights: NDArray[np.float32], shift: NDArray[np.float32], relu: bool
    ) -> None: ...
    def affine(
        self, source: int, target: int, scale: NDArray[np.float32], shift: NDArray[np.float32], relu: bool
    ) -> None: ...
    def add(self, first: int, second: int, target: int, relu: bool) -> None: ...
    def join(self, first: int, second: int, target: int) -> None: ...
    def shortcut(self, source: int, target: int, stride: int, channels: int) -> None: ...
    def pool(self, source: int, target: int) -> None: ...
    def mean(self, source: int, target: int) -> None: ...
    def floats(self, slot: int) -> int: ...
    def run(self, planes: NDArray[np.float32], slot: int, outputs: NDArray[np.float32]) -> None: ...

def reuse_memory() -> None: ...
def conv3_forward(
    x: NDArray[np.float32],
    weights: NDArray[np.float32],
    bias: NDArray[np.float32] | None,
    bfloat: bool,
    y: NDArray[np.float32],
) -> None: ...
def conv3_backward(
    x: NDArray[np.float32],
    weights: NDArray[np.float32],
    dy: NDArray[np.float32],
    bfloat: bool,
    dx: NDArray[np.float32] | None,
    dw: NDArray[np.float32] | None,
) -> None: ...
def has_bfloat() -> bool: ...

class Stack:
    def moments(self, layer: int, mean: NDArray[np.float32], variance: NDArray[np.float32]) -> None: ...

_Layers = Sequence[tuple[NDArray[np.float32], NDArray[np.float32] | None, NDArray[np.float32]]]

def stack_forward(
    x: NDArray[np.float32], layers: _Layers, epsilon: float, bfloat: bool, y: NDArray[np.float32]
) -> Stack: ...
def stack_backward(
    stack: Stack,
    x: NDArray[np.float32],
    layers: _Layers,
    dy: NDArray[np.float32],
    dx: NDArray[np.float32] | None,
    gradients: _Layers,
) -> None: ...
def norm_relu_forward(
    x: NDArray[np.float32],
    weight: NDArray[np.float32],
    bias: NDArray[np.float32],
    epsilon: float,
    y: NDArray[np.float32],
    mean: NDArray[np.float32],
    variance: NDArray[np.float32],
) -> None: ...
def norm_relu_backward(
    x: NDArray[np.float32],
    weight: NDArray[np.float32],
    bias: NDArray[np.float32],
    epsilon: float,
    mean: NDArray[np.float32],
    variance: NDArray[np.float32],
    dy: NDArray[np.float32],
    dx: NDArray[np.float32],
    dweight: NDArray[np.float32],
    dbias: NDArray[np.float32],
) -> None: ...

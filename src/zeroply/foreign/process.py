"""One running program, connected by three pipes.

Reading never blocks beyond a deadline and accepts a bounded amount only. The program runs in a process group of its
own, which is killed and reaped as a whole: when it is closed, when it misbehaves, when Python exits, and (see
`orphans`) when Python is killed.
"""

from __future__ import annotations

import atexit
import os
import re
import select
import signal
import subprocess
import threading
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress

from zeroply.errors import ZeroplyError
from zeroply.foreign.orphans import OrphanKiller
from zeroply.foreign.protocol_log import ProtocolLog
from zeroply.players.contract import Fault
from zeroply.specs import excerpt

FLOOD_BYTES = 1 << 20
"""The most a program may write between a request and its answer."""
ERROR_BYTES = 1 << 16
"""Bytes stored from the end of its error output."""
POLITE_SECONDS = 0.5
"""How long a program may take to exit after its quit command, and again after SIGTERM."""
KILL_SECONDS = 5.0
"""How long to wait for a killed program."""

_CHUNK = 1 << 16
_TELLING = re.compile(
    r"error|cannot|can't|could not|fail|exception|fatal|panic|abort|not found|no such|unable|denied|invalid",
    re.IGNORECASE,
)
"""What the line of an error output that says what is wrong is likely to contain."""
_SLICE = 0.25
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_LIVE: set[Process] = set()
_WATCHDOG = OrphanKiller()


class ProgramError(Exception):
    """What a program did wrong, phrased to follow its name."""

    fault: Fault = "protocol"


class Died(ProgramError):
    """It exited, was killed, or closed its output."""

    fault = "crash"


class TimedOut(ProgramError):
    """It did not answer before the deadline; the text is the last line it wrote."""

    fault = "time"


class Resigned(ProgramError):
    """It resigned, which is not an error of the program."""

    fault = "resign"


def shown(text: str) -> str:
    """Output of a program on one line, without control characters, shortened."""
    return excerpt(_CONTROL.sub("", " ".join(text.split())), width=60)


class Process:
    """A running program; used by one thread at a time, except for `stop` and `reap`."""

    def __init__(self, words: Sequence[str], cwd: str | None = None, log: str | None = None) -> None:
        self._log: ProtocolLog | None = None
        try:
            self._popen = subprocess.Popen(
                words,
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
                cwd=None if cwd is None else os.path.expanduser(cwd),
            )
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise ZeroplyError(f"the program {excerpt(words[0])} cannot be run: {reason}") from None
        pipes = (self._popen.stdin, self._popen.stdout, self._popen.stderr)
        self._in, self._out, self._err = (pipe.fileno() for pipe in pipes if pipe is not None)
        for pipe in (self._in, self._out, self._err):
            os.set_blocking(pipe, False)
        self.pid = self._popen.pid
        self._owner = os.getpid()
        self._lock = threading.RLock()
        self._reaped = self.stopped = False
        self._open = {self._in, self._out, self._err}
        self._outgoing, self._incoming, self._errors = bytearray(), bytearray(), bytearray()
        self._earlier_errors = bytearray()
        self._received = self._searched = 0
        self._last_line = ""
        self._first_sent: str | None = None
        _LIVE.add(self)
        _WATCHDOG.add(self.pid)
        if log is not None:
            try:
                self._log = ProtocolLog(log, f"{_title(words)}[{self.pid}]")
            except BaseException:
                self.reap()
                raise

    # Talking

    def send(self, text: str) -> None:
        """Write; what the pipe does not accept at once is written while waiting for an answer."""
        with self._lock:
            self._outgoing += text.encode()
            self._last_line = ""
            if self._first_sent is None:
                self._first_sent = text.partition("\n")[0]
            if self._log is not None:
                self._log.add(">", text.encode())
            self._write()

    def new_request(self) -> None:
        """Discard output since the last answer and reset the count of received bytes."""
        self._received = self._searched = 0
        with self._lock:
            while self._out in self._open and self._read(self._out):
                self._check_flood()
            self._drain(self._err)
            self._earlier_errors = self._errors or self._earlier_errors
            self._errors = bytearray()
        self._incoming.clear()
        self._received = 0

    def line(self, deadline: float) -> str:
        """The next line, stripped of control characters and surrounding blanks."""
        while (end := self._incoming.find(b"\n", self._searched)) < 0:
            self._searched = len(self._incoming)
            self._pump(deadline)
        line = _text(self._incoming[:end])
        del self._incoming[: end + 1]
        self._searched = 0
        self._last_line = line or self._last_line
        if line and self._first_sent:
            if line == self._first_sent:
                raise ProgramError("echoes its input: it repeats what it is sent instead of answering")
            self._first_sent = ""
        return line

    def until(self, pattern: re.Pattern[bytes], deadline: float) -> str:
        """All output up to a match of the pattern."""
        while (match := pattern.search(self._incoming)) is None:
            self._pump(deadline)
        text = self._incoming[: match.end()].decode(errors="replace")
        del self._incoming[: match.end()]
        return text

    def _pump(self, deadline: float) -> None:
        """Move bytes through the pipes, waiting for some if none are ready."""
        left = deadline - time.monotonic()
        if self.stopped:
            raise ProgramError("was stopped")
        if left <= 0:
            raise TimedOut(self._last_line)
        with self._lock:
            if self._out not in self._open:
                raise Died(self._death())
            poll = select.poll()
            for pipe in self._open - {self._in}:
                poll.register(pipe, select.POLLIN)
            if self._outgoing and self._in in self._open:
                poll.register(self._in, select.POLLOUT)
            ready = {pipe for pipe, _ in poll.poll(1000 * min(left, _SLICE))}
            if self._in in ready:
                self._write()
            for pipe in ready - {self._in}:
                self._read(pipe)
        self._check_flood()

    def _write(self) -> None:
        while self._outgoing and self._in in self._open:
            try:
                del self._outgoing[: os.write(self._in, self._outgoing)]
            except BlockingIOError:
                return
            except OSError:  # closed; the other pipes show the reason
                self._open.discard(self._in)

    def _read(self, pipe: int) -> bool:
        """Read what has arrived; returns whether there was anything."""
        try:
            chunk = os.read(pipe, _CHUNK)
        except BlockingIOError:
            return False
        except OSError:
            chunk = b""
        if self._log is not None:
            self._log.add("<" if pipe == self._out else "!", chunk)
        if not chunk:
            self._open.discard(pipe)
        elif pipe == self._out:
            self._incoming += chunk
            self._received += len(chunk)
        else:
            self._errors += chunk
            del self._errors[:-ERROR_BYTES]
        return bool(chunk)

    def _drain(self, pipe: int) -> None:
        for _ in range(16):  # a pipe holds less
            if pipe not in self._open or not self._read(pipe):
                return

    def _check_flood(self) -> None:
        if self._received > FLOOD_BYTES:
            raise ProgramError(f"flooded its output: more than {FLOOD_BYTES >> 20} MB without an answer")

    # Ending

    def exited(self) -> bool:
        """Whether the program has ended; it is not reaped, so its process group id is not reused."""
        if self._reaped:
            return True
        if not hasattr(os, "waitid"):  # on macOS before Python 3.13
            return self._popen.poll() is not None
        try:
            return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        except ChildProcessError:
            return True

    def telling_error(self) -> str:
        """The line of its error output that says what went wrong: the last that looks like it, or the last of all.

        Older ones count only if it wrote none since the last request.
        """
        with self._lock:
            self._drain(self._err)
        lines = [line for line in map(_text, (self._errors or self._earlier_errors).splitlines()) if line]
        likely = [line for line in lines if _TELLING.search(line)] or lines
        return excerpt(likely[-1], width=200) if likely else ""

    def stop(self) -> None:
        """Kill the program, from any thread; a thread that waits for its answer gets a ProgramError soon."""
        self.stopped = True
        with self._lock:
            self._signal(signal.SIGKILL)

    def reap(self) -> None:
        """Kill what is left of the process group and release all resources."""
        with self._lock:
            if self._reaped or os.getpid() != self._owner:
                return
            self._signal(signal.SIGKILL)
            with suppress(subprocess.TimeoutExpired):
                self._popen.wait(KILL_SECONDS)
            if self._log is not None:
                for number in self._open - {self._in}:
                    self._drain(number)
                self._log.close()
                self._log = None
            for pipe in (self._popen.stdin, self._popen.stdout, self._popen.stderr):
                if pipe is not None:
                    with suppress(OSError):
                        pipe.close()
            self._open.clear()
            self._reaped = True
            _LIVE.discard(self)
            _WATCHDOG.remove(self.pid)

    def terminate(self) -> None:
        """Send SIGTERM to the program."""
        with self._lock:
            self._signal(signal.SIGTERM)

    def ask_to_end(self, farewell: str) -> None:
        """Send the quit command and close its input."""
        with self._lock, suppress(OSError):
            self.send(farewell)
            self._open.discard(self._in)
            if self._popen.stdin is not None:
                self._popen.stdin.close()

    def discard_output(self) -> None:
        """Read what has arrived, so that a program that is writing is not blocked."""
        with self._lock:
            for pipe in self._open - {self._in}:
                self._read(pipe)
        self._incoming.clear()

    def _signal(self, number: signal.Signals) -> None:
        if not self._reaped and os.getpid() == self._owner:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, number)

    def _death(self) -> str:
        """A sentence on how it ended."""
        deadline = time.monotonic() + POLITE_SECONDS
        while not self.exited() and time.monotonic() < deadline:
            time.sleep(0.005)
        by_itself, error = self.exited(), self.telling_error()
        self.reap()
        code = self._popen.returncode
        if not by_itself or code is None:
            how = "closed its output"
        elif code < 0:
            how = f"was killed by signal {_signal_name(-code)}"
        else:
            how = f"exited with code {code}"
        return f"{how}: {error}" if error else how


def end(processes: Iterable[Process], farewell: str) -> None:
    """End programs: by the quit command, then SIGTERM, then SIGKILL."""
    left = list(processes)
    for process in left:
        process.ask_to_end(farewell)
    _await(left)
    for process in left:
        if not process.exited():
            process.terminate()
    _await(left)
    for process in left:
        process.reap()


def _await(processes: Sequence[Process]) -> None:
    deadline = time.monotonic() + POLITE_SECONDS
    while time.monotonic() < deadline:
        running = [process for process in processes if not process.exited()]
        if not running:
            return
        for process in running:
            process.discard_output()
        time.sleep(0.005)


def _title(words: Sequence[str]) -> str:
    """The file name of a program, or of the script that an interpreter runs."""
    script = next((word for word in words[1:2] if os.path.isfile(word)), words[0])
    return os.path.basename(script)


def _text(line: bytes | bytearray) -> str:
    return _CONTROL.sub("", line.decode(errors="replace")).strip()


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


@atexit.register
def _end_all() -> None:
    for process in list(_LIVE):
        process.reap()

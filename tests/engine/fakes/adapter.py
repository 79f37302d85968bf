"""An adapter that echoes what is emitted, and has one fault, named by its argument.

Faults that begin with `start-` show in `initialize`, others in the case `tests/ask-host/faulty`.
"""

import json
import os
import signal
import sys
import time
from typing import Any

FOR_EVER = 60
HANDSHAKE: dict[str, Any] = {
    "protocol": 1,
    "implementation": {"name": "fake", "version": "1", "language": "python"},
    "namespace": "@fake/ask",
    "roles": {"ask-host": {"capabilities": ["virtual-time"], "variants": {}}},
}


def write(data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(1, view) :]


def response(number: Any, **members: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, **members}).encode() + b"\n"


def error(number: int, code: int) -> bytes:
    return response(number, error={"code": code, "message": "no\x1b[2J\nnews"})


def leave_a_child() -> None:
    child = os.fork()
    if child:
        os.write(2, f"child {child}".encode())
        os._exit(4)
    time.sleep(FOR_EVER)


def flood_stderr() -> None:
    for _ in range(1600):
        os.write(2, b"x" * 65535 + b"\n")
    os.write(2, b"the end")


def start(mode: str, number: int, handshake: dict[str, Any]) -> None:
    match mode:
        case "start-dies":
            os.write(2, b"boom\x1b[2J")
            os._exit(3)
        case "start-hangs":
            time.sleep(FOR_EVER)
        case "start-banner":
            write(b"Welcome!\n" + response(number, result=handshake))
        case "start-version-2":
            write(response(number, result={"protocol": 2, "says": "something else"}))
        case "start-wrong-shape":
            write(response(number, result={"protocol": 1}))
        case "start-not-json":
            write(b"Usage: adapter\n")
        case _:
            restart = mode == "restarts"
            write(response(number, result={**handshake, "restart": restart, "x": 1}))


def perform(mode: str, number: int, result: dict[str, Any]) -> None:  # noqa: C901, PLR0912, PLR0915
    good = response(number, result=result)
    match mode:
        case "dies":
            os._exit(3)
        case "is-killed":
            os.kill(os.getpid(), signal.SIGKILL)
        case "leaves-a-child":
            leave_a_child()
        case "hangs":
            time.sleep(FOR_EVER)
        case "half-a-line":
            write(b'{"jsonrpc":')
            time.sleep(FOR_EVER)
        case "half-a-line-and-dies":
            write(b'{"jsonrpc":')
            os._exit(0)
        case "answers-twice":
            write(good * 2)
        case "wrong-id":
            write(response(number + 1, result=result))
        case "out-of-order":
            write(response(number - 1, result=result))
        case "id-as-text":
            write(response(str(number), result=result))
        case "banner":
            write(b"Welcome\x1b[31m!\n" + good)
        case "invalid-utf-8":
            write(b'{"jsonrpc":"2.0","id":1,"result":"\xff"}\n')
        case "long-line":
            for _ in range(1600):
                write(b"x" * 65536)
        case "deep":
            write(b'{"a":' + b"[" * 10_000 + b"]" * 10_000 + b"}\n")
        case "nan":
            write(b'{"jsonrpc":"2.0","id":%d,"result":NaN}\n' % number)
        case "repeated-key":
            write(b'{"id":1,"id":%d}\n' % number)
        case "closes-input":
            write(good)
            os.close(0)
            time.sleep(FOR_EVER)
        case "closes-output":
            os.close(1)
            time.sleep(FOR_EVER)
        case "list":
            write(b"[]\n")
        case "json-rpc-1":
            write(b'{"id":%d,"result":{}}\n' % number)
        case "no-result":
            write(response(number))
        case "wrong-shape":
            write(response(number, result={"observations": [{"nothing": "known"}]}))
        case "throws":
            write(error(number, -32000))
        case "unknown-command":
            write(error(number, -32601))
        case "other-error":
            write(error(number, -32602))
        # What is no fault
        case "floods-stderr":
            flood_stderr()
            write(good)
        case "unknown-members":
            seen = [{**observation, "x": 3} for observation in result["observations"]]
            write(response(number, x=1, result={"x": 2, "observations": seen}))
        case "carriage-return":
            write(good[:-1] + b"\r\n")
        case _:
            write(good)


def main(mode: str) -> None:
    faulty = False
    for line in sys.stdin.buffer:
        request = json.loads(line)
        number, params = request["id"], request["params"]
        if request["method"] == "initialize":
            start(mode, number, HANDSHAKE)
        elif request["method"] == "begin":
            faulty = params["case"] == "tests/ask-host/faulty"
            if mode == "restarts":
                os.write(2, f"process {os.getpid()}".encode())
            write(response(number, result={}))
        else:
            emit = params["emit"]
            echo = {"data": emit["data"], "emitted": emit["channel"]}
            perform(mode if faulty else "", number, {"observations": [echo]})
    if mode == "ignores-the-end":
        time.sleep(FOR_EVER)


if __name__ == "__main__":
    main(sys.argv[1])

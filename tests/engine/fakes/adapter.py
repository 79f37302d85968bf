"""An adapter that echoes what is emitted, and has one fault, named by its argument.

Faults that begin with `start-` show in `initialize`, the others in the case `tests/ask-host/faulty`.
"""

import json
import os
import signal
import sys
import time

MODE = sys.argv[1]
FOR_EVER = 60
ROLES = {"ask-host": {"capabilities": ["virtual-time"], "variants": {}}}
HANDSHAKE = {
    "protocol": 1,
    "implementation": {"name": "fake", "version": "1", "language": "python"},
    "namespace": "@fake/ask",
    "roles": ROLES,
}


def write(data):
    view = memoryview(data)
    while view:
        view = view[os.write(1, view) :]


def respond(number, **members):
    write(json.dumps({"jsonrpc": "2.0", "id": number, **members}).encode() + b"\n")


def error(number, code):
    respond(number, error={"code": code, "message": "no\x1b[2J\nnews"})


def spawn_child():
    """Leave a child that holds the streams, and end."""
    child = os.fork()
    if child:
        os.write(2, f"child {child}".encode())
        os._exit(4)
    time.sleep(FOR_EVER)


def flood_stderr():
    chunk = b"x" * 65535 + b"\n"
    for _ in range(1600):
        os.write(2, chunk)
    os.write(2, b"the end")


def close_input(number):
    respond(number, result=echoed)
    os.close(0)
    time.sleep(FOR_EVER)


def close_output():
    os.close(1)
    time.sleep(FOR_EVER)


def exit_loudly():
    os.write(2, b"boom\x1b[2J")
    os._exit(3)


def twice(number):
    respond(number, result=echoed)
    respond(number, result=echoed)


def half():
    write(b'{"jsonrpc":')


FAULTS = {
    "dies": lambda n: exit_loudly(),
    "is-killed": lambda n: os.kill(os.getpid(), signal.SIGKILL),
    "leaves-a-child": lambda n: spawn_child(),
    "hangs": lambda n: time.sleep(FOR_EVER),
    "half-a-line": lambda n: (half(), time.sleep(FOR_EVER)),
    "half-a-line-and-dies": lambda n: (half(), os._exit(0)),
    "answers-twice": twice,
    "wrong-id": lambda n: respond(n + 1, result=echoed),
    "id-as-text": lambda n: respond(str(n), result=echoed),
    "banner": lambda n: (write(b"Welcome\x1b[31m!\n"), respond(n, result=echoed)),
    "invalid-utf-8": lambda n: write(b'{"jsonrpc":"2.0","id":1,"result":"\xff"}\n'),
    "long-line": lambda n: write(b"x" * 9 * 1024 * 1024),
    "deep": lambda n: write(b'{"a":' + b"[" * 10_000 + b"]" * 10_000 + b"}\n"),
    "nan": lambda n: write(b'{"jsonrpc":"2.0","id":%d,"result":NaN}\n' % n),
    "repeated-key": lambda n: write(b'{"id":1,"id":%d}\n' % n),
    "closes-input": close_input,
    "closes-output": lambda n: close_output(),
    "list": lambda n: write(b"[]\n"),
    "json-rpc-1": lambda n: write(b'{"id":%d,"result":{}}\n' % n),
    "no-result": lambda n: respond(n),
    "wrong-shape": lambda n: respond(n, result={"observations": [{"nothing": "known"}]}),
    "throws": lambda n: error(n, -32000),
    "unknown-command": lambda n: error(n, -32601),
    "other-error": lambda n: error(n, -32602),
    # What is no fault
    "nothing": lambda n: respond(n, result=echoed),
    "floods-stderr": lambda n: (flood_stderr(), respond(n, result=echoed)),
    "unknown-members": lambda n: respond(
        n, x=1, result={"x": [2], "observations": [one | {"x": 3} for one in echoed["observations"]]}
    ),
    "carriage-return": lambda n: write(
        json.dumps({"jsonrpc": "2.0", "id": n, "result": echoed}).encode() + b"\r\n"
    ),
}
START_FAULTS = {
    "start-dies": lambda n: exit_loudly(),
    "start-hangs": lambda n: time.sleep(FOR_EVER),
    "start-banner": lambda n: (write(b"Welcome!\n"), respond(n, result=HANDSHAKE)),
    "start-version-2": lambda n: respond(n, result={"protocol": 2, "says": "something else"}),
    "start-wrong-shape": lambda n: respond(n, result={"protocol": 1}),
    "start-not-json": lambda n: write(b"Usage: adapter\n"),
}

faulty = False
for line in sys.stdin.buffer:
    request = json.loads(line)
    params = request["params"]
    echoed = {"observations": []}
    if request["method"] == "initialize":
        handshake = HANDSHAKE | {"restart": MODE == "restarts", "x": 1}
        START_FAULTS.get(MODE, lambda n: respond(n, result=handshake))(request["id"])
    elif request["method"] == "begin":
        faulty = params["case"] == "tests/ask-host/faulty"
        if MODE == "restarts":
            os.write(2, f"process {os.getpid()}".encode())
        respond(request["id"], result={})
    else:
        if "emit" in params:
            echoed["observations"].append(
                {"data": params["emit"]["data"], "emitted": params["emit"]["channel"]}
            )
        FAULTS[MODE if faulty and MODE in FAULTS else "nothing"](request["id"])
if MODE == "ignores-the-end":
    time.sleep(FOR_EVER)

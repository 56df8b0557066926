"""Drives a headless Chromium over two pipes, by the DevTools protocol; needs Python alone."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

# Generous: what is waited for comes within a second, but for a machine that has much to do.
PATIENCE = 120


class Chromium:
    """A browser with a fresh profile."""

    def __init__(self, program="chromium"):
        self.profile = tempfile.mkdtemp(prefix="inspector-")
        to_browser, self.output = os.pipe()
        self.input, from_browser = os.pipe()

        def adopt():
            # Chromium reads from 3 and writes to 4; both pipes may lie there already.
            read, write = os.dup(to_browser), os.dup(from_browser)
            os.dup2(read, 3)
            os.dup2(write, 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--remote-debugging-pipe", f"--user-data-dir={self.profile}", "--no-first-run",
             "--disable-extensions", "--disable-background-networking", "--hide-scrollbars",
             "--force-color-profile=srgb", "--lang=en-GB", "about:blank"],
            preexec_fn=adopt, close_fds=False, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer, self.number, self.events = b"", 0, []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.output)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.input)
        shutil.rmtree(self.profile, ignore_errors=True)

    def call(self, method, session=None, **parameters):
        """The result of a command; events that come meanwhile are kept."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.output, data):]
        deadline = time.monotonic() + PATIENCE
        while True:
            answer = self._message(deadline)
            if answer.get("id") != self.number:
                self.events.append(answer)
            elif "error" in answer:
                raise RuntimeError(f"{method}: {answer['error']}")
            else:
                return answer["result"]

    def _message(self, deadline):
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.input], [], [], deadline - time.monotonic())
            data = os.read(self.input, 1 << 20) if ready else b""
            if not data:
                raise RuntimeError("Chromium says nothing any more")
            self.buffer += data
        message, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(message)

    def page(self):
        """A page that shares nothing with any other."""
        context = self.call("Target.createBrowserContext")["browserContextId"]
        target = self.call("Target.createTarget", url="about:blank", browserContextId=context)
        session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        return Page(self, session["sessionId"])


class Page:
    """One tab."""

    def __init__(self, browser, session):
        self.browser, self.session = browser, session
        for domain in ("Page", "Runtime", "Network", "Log", "DOM", "Accessibility"):
            self.call(f"{domain}.enable")

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def events(self, method):
        return [event["params"] for event in self.browser.events
                if event.get("method") == method and event.get("sessionId") == self.session]

    def open(self, url):
        """Goes to a page, and waits until its scripts ran."""
        self.call("Page.navigate", url=url)
        self.wait("location.href !== 'about:blank' && document.readyState === 'complete'")

    def run(self, script):
        """The value of an expression of JavaScript; a promise is waited for."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{script}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait(self, script):
        """The value of an expression, when it has become true."""
        deadline = time.monotonic() + PATIENCE
        while True:
            value = self.run(script)
            if value:
                return value
            if time.monotonic() > deadline:
                raise AssertionError(f"never true: {script}\n{self.run('document.body.innerText')}")
            # In the page, until something in it changes, so that nothing spins.
            self.run("""new Promise((resolve) => {
              const watch = new MutationObserver(() => { watch.disconnect(); resolve(); });
              watch.observe(document, {childList: true, subtree: true, attributes: true,
                                       characterData: true});
              setTimeout(resolve, 100);
            })""")

    def press(self, key, code=None, text=None, shift=False):
        named = {"Tab": 9, "Enter": 13, "Escape": 27, " ": 32, "End": 35, "Home": 36,
                 "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}
        common = {"key": key, "code": code or key, "modifiers": 8 if shift else 0,
                  "windowsVirtualKeyCode": named.get(key, ord(key[0].upper()))}
        typed = {"text": "\r"} if key == "Enter" else {"text": key} if len(key) == 1 else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", **common, **typed)
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def size(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=width < 600)

    def scheme(self, name):
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": name},
                            {"name": "prefers-reduced-motion", "value": "reduce"}])

    def picture(self, path):
        data = self.call("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

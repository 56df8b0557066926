#!/usr/bin/env python3
"""Looks at the session inspector in a real browser, and checks what it shows and how it behaves.

usage: inspector.py BASE-URL INSPECTOR-TOKEN FOLDER [CHROMIUM]

A dev-backend runs at BASE-URL; pictures are written into FOLDER. Status 1 and the reason on
standard error where something is wrong.
"""
import json
import pathlib
import sys
import urllib.error
import urllib.request

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from chromium import Chromium

HOSTILE = "<img src=x onerror=window.pwned=1>"


class Client:
    """A device of somebody, which does what the backend should take notice of."""

    def __init__(self, base, name, device, agent="demo-app/1.0 (Android 15)"):
        self.base, self.device, self.agent = base, device, agent
        self.name = name
        body = {"username": name, "email": f"{name}@example.com", "password": "SecurePass1",
                "device_id": device}
        try:
            self.take(self.post("/auth/register", body))
        except urllib.error.HTTPError:
            self.take(self.post("/auth/login", body))

    def take(self, answer):
        self.access = answer["access_token"]
        self.refresh_token = answer.get("refresh_token", getattr(self, "refresh_token", None))

    def post(self, path, body, request=None):
        headers = {"Content-Type": "application/json", "User-Agent": self.agent}
        if request:
            headers["X-Request-Id"] = request
        sent = urllib.request.Request(self.base + path, json.dumps(body).encode(), headers)
        with urllib.request.urlopen(sent) as answer:
            data = answer.read()
            return json.loads(data) if data else {}

    def refresh(self, request, token=None, device=None):
        """A refresh; what comes back is kept unless an old token is presented again."""
        body = {"refresh_token": token or self.refresh_token, "device_id": device or self.device}
        answer = self.post("/auth/refresh", body, request)
        if token is None:
            self.take(answer)
        return answer

    def refused(self, request, **how):
        try:
            self.refresh(request, **how)
        except urllib.error.HTTPError as error:
            return error.code
        raise AssertionError("this refresh should have been refused")


def check(isTrue, what):
    if not isTrue:
        raise AssertionError(what)


def history(base):
    """What the pictures show: two users, each kind of event."""
    Client(base, "mallory", HOSTILE, "<script>window.pwned=1</script>")
    stolen = Client(base, "grace", "Grace's tablet", "demo-app/1.0 (iPadOS 26)")
    stolen.refresh("0aa17e52-rotation")
    check(stolen.refused("77f3b1d4-theft", device="Somebody's laptop") == 401, "a theft went through")
    Client(base, "grace", "Grace's phone", "demo-app/1.0 (Android 15)").refresh("5d20c6ab-rotation")
    phone = Client(base, "ada", "Ada's phone")
    phone.refresh("4f1c2a90-rotation-1")
    spent = phone.refresh_token
    phone.refresh("8be0d3c7-rotation-2")
    phone.refresh("c2d9f1ae-concurrent", token=spent)
    phone.refresh("8be0d3c7-rotation-2", token=spent)
    return phone


def sign_in(page, base, token):
    page.open(f"{base}/inspector#{token}")
    page.wait("document.querySelectorAll('.user').length === 3 && "
              "document.getElementById('live').dataset.state === 'on'")
    check(page.run("location.href") == f"{base}/inspector", "the token stays in the address")
    check(page.run("document.cookie") == "", "a script can read the cookie")
    cookies = page.call("Network.getCookies")["cookies"]
    check([(c["httpOnly"], c["sameSite"], c["path"]) for c in cookies]
          == [(True, "Strict", "/inspector")], f"cookies: {cookies}")


def content(page):
    text = page.run("document.getElementById('tree').innerText")
    for part in ("Rotated to generation 1", "Rotated to generation 2", "Grace answer",
                 "Resent: the answer to this attempt was lost", "Another device used its refresh",
                 "Ended: another device used it", "Registered, session began",
                 "77f3b1d4-theft", "Ended: device mismatch", HOSTILE,
                 "<script>window.pwned=1</script>", "2 rotations", "1 grace answer", "1 resend"):
        check(part in text, f"not shown: {part}\n{text}")
    check(page.run("window.pwned === undefined"), "a user's text ran as a script")
    check(page.run("document.querySelectorAll('main img, main script').length") == 0,
          "a user's text became markup")


def structure(page):
    levels = page.run("[1, 2, 3].map((n) => document.querySelectorAll("
                      "`[role=treeitem][aria-level=\"${n}\"]`).length)")
    check(levels[0] == 3 and levels[1] == 4 and levels[2] >= 10, f"levels: {levels}")
    check(page.run("[...document.querySelectorAll('[role=treeitem]')].every((one) =>"
                   "one.parentElement.matches('[role=tree], [role=group]'))"), "items outside groups")
    names = [node["name"]["value"] for node in
             page.call("Accessibility.getFullAXTree")["nodes"]
             if node.get("role", {}).get("value") == "treeitem" and "name" in node]
    check(any(name.startswith("ada ada@example.com") for name in names), f"names: {names}")


def keyboard(page):
    focused = "document.activeElement.id"
    page.run("document.activeElement.blur()")
    page.press("Tab")
    check(page.run("document.activeElement.className") == "skip", "no skip link comes first")
    check(page.run("document.activeElement.getBoundingClientRect().top >= 0"), "it is not seen")
    page.press("Enter")
    first = page.wait("document.activeElement.role === 'treeitem' && document.activeElement.id")
    check(page.run("document.querySelectorAll('#tree [tabindex=\"0\"]').length") == 1,
          "more than one item is reached by Tab")
    outline = page.run("getComputedStyle(document.activeElement.querySelector('.row')).outlineStyle")
    check(outline == "solid", f"the focus is not seen: {outline}")
    page.press("ArrowDown")
    session = page.run(focused)
    check(session.startswith("session-"), f"down led to {session}")
    page.press("ArrowLeft")
    check(page.run("document.activeElement.ariaExpanded") == "false", "left does not close")
    check(page.run("document.activeElement.querySelector('[role=group]').offsetParent") is None,
          "what is closed is still seen")
    page.press("ArrowRight")
    page.press("ArrowRight")
    check(page.run(focused).startswith("event-"), "right does not lead in")
    page.press("ArrowLeft")
    check(page.run(focused) == session, "left does not lead out")
    page.press("ArrowUp")
    check(page.run(focused) == first, "up does not lead back")
    page.press("End")
    last = page.run(focused)
    page.press("ArrowDown")
    check(page.run(focused) == last != first, "the end is not the end")
    page.press("Home")
    check(page.run(focused) == first, "home is not the first")
    page.press("/")
    check(page.run(focused) == "query", "the slash does not lead to the search")
    check(page.run("document.activeElement.value") == "", "the slash was typed")


def search(page, text, users):
    page.run("(() => { const query = document.getElementById('query'); query.focus();"
             " query.select(); })()")
    page.type(text)
    page.wait(f"document.querySelectorAll('.user').length === {users}"
              " && [...document.querySelectorAll('.hit')]"
              f".some((one) => one.innerText.includes('{text}'))")


def forget_search(page):
    page.run("(() => { const query = document.getElementById('query'); query.value = '';"
             " query.dispatchEvent(new Event('input')); })()")
    page.wait("document.querySelectorAll('.user').length === 3")


def live(page, phone):
    page.press("Tab")
    place = page.wait("document.activeElement.role === 'treeitem' && document.activeElement.id")
    phone.refresh("e1e1e1e1-live")
    page.wait("document.getElementById('tree').innerText.includes('e1e1e1e1-live')")
    check(page.run("document.activeElement.id") == place, "the focus was lost by an event")
    check(phone.refused("f2f2f2f2-stolen", device="Somebody else's") == 401, "a theft went through")
    page.wait("document.getElementById('news').textContent.startsWith('Another device')")
    page.wait("document.getElementById('tree').innerText.includes('f2f2f2f2-stolen')")


CONTRAST = """(() => {
  const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const light = (colour) => {
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const part = (value) => (value /= 255) <= 0.04045 ? value / 12.92
      : ((value + 0.055) / 1.055) ** 2.4;
    const [r, g, b] = canvas.getImageData(0, 0, 1, 1).data;
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const ground = (one) => {
    for (; one; one = one.parentElement) {
      const colour = getComputedStyle(one).backgroundColor;
      if (!/, 0\\)$|transparent/.test(colour)) return colour;
    }
    return 'white';
  };
  let worst = [21, ''];
  for (const one of document.querySelectorAll('h1, p, b, label, .title, .soft, .chip, .mark')) {
    if (!one.offsetParent || !one.textContent) continue;
    const [a, b] = [light(getComputedStyle(one).color), light(ground(one))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < worst[0]) worst = [ratio, one.className + ' ' + one.textContent.slice(0, 40)];
  }
  return worst;
})()"""


def looks(page, folder):
    for scheme in ("light", "dark"):
        page.scheme(scheme)
        for width, height in ((360, 780), (1280, 900)):
            page.size(width, height)
            page.run("scrollTo(0, 0)")
            check(page.run("document.documentElement.scrollWidth") <= width,
                  f"wider than {width} pixels")
            page.picture(f"{folder}/inspector-{width}-{scheme}.png")
        ratio, where = page.run(CONTRAST)
        check(ratio >= 4.5, f"too little contrast in {scheme}: {ratio:.2f} at {where}")
    page.size(1280, 900)


def stranger(page, base, token):
    """Who has no token sees nothing, and may give one."""
    page.open(f"{base}/inspector")
    page.wait("!document.getElementById('door').hidden")
    check(page.run("document.querySelectorAll('#tree li').length") == 0, "shown to a stranger")
    page.type("wrong" * 6)
    page.press("Enter")
    page.wait("document.getElementById('door-text').textContent.includes('printed at start')")
    page.run("document.getElementById('token').value = ''")
    page.run("document.getElementById('token').focus()")
    page.type(token)
    page.press("Enter")
    page.wait("document.querySelectorAll('.user').length === 3")


def quiet(page, base, isStranger=False):
    """Nothing failed, nothing was refused by the policy, and nothing came from elsewhere."""
    urls = {event["request"]["url"].split("?")[0] for event in
            page.events("Network.requestWillBeSent")}
    check(all(url.startswith(base + "/") for url in urls), f"asked elsewhere: {urls}")
    check(not page.events("Runtime.exceptionThrown"), page.events("Runtime.exceptionThrown"))
    entries = [event["entry"] for event in page.events("Log.entryAdded")]
    faults = [entry for entry in entries if "favicon" not in entry.get("url", "")
              and not (isStranger and "401" in entry["text"])]
    check(not faults, f"the browser complains: {faults}")


def main(base, token, folder, program="chromium"):
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    phone = history(base)
    with Chromium(program) as browser:
        page = browser.page()
        page.scheme("light")
        page.size(1280, 900)
        sign_in(page, base, token)
        content(page)
        structure(page)
        looks(page, folder)
        keyboard(page)
        search(page, "77f3b1d4-theft", 1)
        search(page, "5d20c6ab", 1)
        forget_search(page)
        live(page, phone)
        quiet(page, base)
        other = browser.page()
        stranger(other, base, token)
        quiet(other, base, isStranger=True)
    print("inspector: everything is as it should be")


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        print(__doc__.strip(), file=sys.stderr)
        sys.exit(64)
    main(*sys.argv[1:])

extension InspectorPage {
  /// The JavaScript: draws the tree, keeps it live, and moves through it by keyboard.
  static let script = #"""
    "use strict";
    (() => {
      const $ = (id) => document.getElementById(id);
      const [tree, query] = [$("tree"), $("query")];

      // What happened, in words: a mark, how bad it is, and a sentence of the details.
      const KINDS = {
        registered: ["+", "good", () => "Registered, session began"],
        signed_in: ["→", "good", () => "Signed in, session began"],
        rotated: ["↻", "good", (d) => `Rotated to generation ${d.generation}`],
        grace: ["≈", "watch", () => "Grace answer: a concurrent request got an access token only"],
        resent: ["⇄", "watch", () => "Resent: the answer to this attempt was lost, a new pair went out"],
        limited: ["…", "watch", () => "Told to wait: this attempt has 16 working pairs already"],
        refused: ["×", "watch", () => "Refused, nothing changed"],
        reuse_detected: ["!", "bad", () => "Reuse: a spent refresh token came again"],
        device_mismatch: ["!", "bad", () => "Another device used its refresh token"],
        ended: ["■", "bad", (d) => `Ended: ${REASONS[d.reason] ?? words(d.reason)}`],
        stream: ["~", "", () => "Realtime stream opened"],
      };
      const REASONS = {
        logged_out: "its user logged out",
        session_revoked: "revoked",
        reuse_detected: "a refresh token was used twice",
        device_mismatch: "another device used it",
      };
      const words = (text) => String(text ?? "unknown").replaceAll("_", " ");

      let newest = 0;
      let source = null;
      let reload = 0;
      let shown = new Map();
      const open = new Map();

      // Everything that comes from outside becomes text, never markup.
      function element(name, className, ...parts) {
        const made = document.createElement(name);
        if (className) made.className = className;
        made.append(...parts.filter((part) => part !== null && part !== undefined));
        return made;
      }

      function time(milliseconds, now) {
        const date = new Date(milliseconds);
        const clock = date.toLocaleTimeString([], { hour12: false });
        const isToday = new Date(now).toDateString() === date.toDateString();
        const made = element("time", "soft", isToday ? clock : `${date.toLocaleDateString()} ${clock}`);
        made.dateTime = date.toISOString();
        made.title = date.toISOString();
        return made;
      }

      function item(id, level, className, row, children, isOpen) {
        const made = element("li", className, row);
        made.id = id;
        made.role = "treeitem";
        made.tabIndex = -1;
        made.ariaLevel = level;
        const label = row.querySelector(".what");
        label.id = `${id}-what`;
        made.setAttribute("aria-labelledby", label.id);
        if (children) {
          made.ariaExpanded = String(open.get(id) ?? isOpen);
          children.role = "group";
          made.append(children);
          const twist = element("span", "twist", "▸");
          twist.ariaHidden = "true";
          row.prepend(twist);
        }
        return made;
      }

      function eventItem(event, state, text) {
        const [mark, tone, say] = KINDS[event.kind] ?? ["·", "", () => words(event.kind)];
        const sign = element("span", `mark ${tone}`, mark);
        sign.ariaHidden = "true";
        const details = [];
        if (event.details.token) details.push(`token ${event.details.token}`);
        if (event.details.instance) details.push(`${event.details.instance} instance`);
        const second = element("span", "line soft",
          event.request ? element("span", "mono", event.request) : null, ...details);
        const first = element("span", "line", element("span", "title", say(event.details)),
          time(event.time, state.now));
        const what = element("span", "what", first, second);
        const made = item(`event-${event.number}`, 3, "event", element("div", "row", sign, what));
        if (tone === "bad") made.classList.add("bad-line");
        if (text && JSON.stringify(event).toLowerCase().includes(text)) made.classList.add("hit");
        if (event.number > state.before) made.classList.add("fresh");
        return made;
      }

      // A request that ends a session is shown before the end that it caused.
      function causesFirst(events) {
        const sorted = [...events];
        sorted.forEach((event, index) => {
          const next = sorted[index + 1];
          if (event.kind !== "ended" || next?.request !== event.request) return;
          [sorted[index], sorted[index + 1]] = [next, event];
        });
        return sorted;
      }

      function chips(session, isOver) {
        const list = element("span", "chips");
        const chip = (tone, text) => list.append(element("span", `chip ${tone}`, text), " ");
        const count = (number, one, many, tone) => {
          if (number) chip(tone, `${number} ${number === 1 ? one : many}`);
        };
        if (session.ended !== undefined) {
          const isUsual = ["logged_out", "session_revoked"].includes(session.reason);
          chip(isUsual ? "" : "bad", `Ended: ${words(session.reason)}`);
        } else {
          chip(isOver ? "" : "good", isOver ? "Expired" : "Alive");
        }
        count(session.rotations, "rotation", "rotations", "");
        count(session.grace, "grace answer", "grace answers", "watch");
        count(session.resends, "resend", "resends", "watch");
        return list;
      }

      function sessionItem(session, state, text, isFirst) {
        const name = session.device ?? "No device id";
        const isOver = session.until <= state.now;
        const first = element("span", "line", element("span", "title", name),
          element("span", "soft", session.dialect === "ksn" ? "KSN" : "SkyConnect"),
          element("span", "soft", "last used ", time(session.seen, state.now)));
        const second = element("span", "line soft", element("span", "mono", session.id),
          session.client ?? null);
        const what = element("span", "what", first, chips(session, isOver), second);
        const events = element("ul", "events");
        for (const event of causesFirst(session.events)) events.append(eventItem(event, state, text));
        const isTrouble = session.events.some((event) => KINDS[event.kind]?.[1] === "bad");
        const made = item(`session-${session.id}`, 2, "session", element("div", "row", what),
          session.events.length ? events : null, isFirst || isTrouble || text !== "");
        const own = [session.id, session.device, session.client].join("\n").toLowerCase();
        if (text && own.includes(text)) made.classList.add("hit");
        return made;
      }

      function userItem(user, state, text) {
        const count = user.sessions.length;
        const alive = user.sessions.filter((s) => s.ended === undefined && s.until > state.now).length;
        const first = element("span", "line", element("span", "title", user.username),
          element("span", "soft", user.email));
        const second = element("span", "soft",
          `${count} session${count === 1 ? "" : "s"}, ${alive} alive`);
        const what = element("span", "what", first, second);
        const sessions = element("ul", "");
        user.sessions.forEach((session, index) =>
          sessions.append(sessionItem(session, state, text, index === 0)));
        return item(`user-${user.id}`, 1, "card user", element("div", "row", what), sessions, true);
      }

      // Only the users about whom something is new are drawn anew; the focus stays where it is.
      function draw(state) {
        const text = query.value.trim().toLowerCase();
        const focused = tree.contains(document.activeElement) ? document.activeElement.id : null;
        const nodes = new Map();
        state.before = newest || state.newest;
        for (const user of state.users) {
          const key = `user-${user.id}`;
          const content = JSON.stringify([user, text, user.sessions.map((s) => s.until > state.now)]);
          const old = shown.get(key);
          nodes.set(key, old?.content === content ? old
            : { content, node: userItem(user, state, text) });
        }
        const wanted = [...nodes.values()].map((entry) => entry.node);
        if (wanted.length !== tree.children.length || wanted.some((n, i) => n !== tree.children[i])) {
          tree.replaceChildren(...wanted);
        }
        shown = nodes;
        newest = state.newest;
        const rest = tree.querySelector('[tabindex="0"]');
        const entry = (focused && $(focused)) || rest || tree.querySelector("li");
        if (entry) rove(entry, focused !== null);
        const sessions = state.users.flatMap((user) => user.sessions);
        const alive = sessions.filter((s) => s.ended === undefined && s.until > state.now).length;
        const number = (count, name) => `${count} ${name}${count === 1 ? "" : "s"}`;
        $("summary").textContent = (text ? "Found " : "")
          + `${number(state.users.length, "user")}, ${number(sessions.length, "session")}, `
          + `${alive} alive` + (state.model === "opaque" ? " · opaque sessions" : "");
        $("empty").hidden = state.users.length > 0;
        $("empty").textContent = text ? "Nothing fits. A whole request id finds most."
          : "Nobody has signed in yet. Sessions appear here as soon as somebody does.";
        $("cut").hidden = !state.cut;
      }

      async function load() {
        const answer = await fetch(`/inspector/state?q=${encodeURIComponent(query.value.trim())}`);
        if (answer.status === 401) return ask("");
        if (!answer.ok) throw new Error(`status ${answer.status}`);
        draw(await answer.json());
        $("door").hidden = true;
        if (!source) listen();
      }

      function soon(delay) {
        clearTimeout(reload);
        reload = setTimeout(() => load().catch(() => live("lost", "No answer")), delay);
      }

      function live(state, text) {
        $("live").dataset.state = state;
        $("live").lastElementChild.textContent = text;
      }

      function listen() {
        source = new EventSource(`/inspector/events?after=${newest}`);
        source.onopen = () => {
          live("on", "Live");
          soon(0);
        };
        source.onmessage = (message) => {
          const event = JSON.parse(message.data);
          const [, tone, say] = KINDS[event.kind] ?? ["", "", () => ""];
          if (tone === "bad") $("news").textContent = say(event.details);
          soon(150);
        };
        source.onerror = () => {
          live("lost", "Reconnecting…");
          if (source.readyState !== EventSource.CLOSED) return;
          source = null;
          soon(2000);
        };
      }

      function ask(problem) {
        live("off", "Not signed in");
        tree.replaceChildren();
        shown = new Map();
        $("door").hidden = false;
        if (problem) $("door-text").textContent = problem;
        $("token").focus();
      }

      async function enter(token) {
        const body = JSON.stringify({ token });
        const answer = await fetch("/inspector/session",
          { method: "POST", body, headers: { "Content-Type": "application/json" } });
        if (answer.status !== 204) return ask((await answer.json()).error);
        await load();
      }

      // One tree item at a time can be reached by Tab; arrows move between them.
      function rove(target, takesFocus) {
        for (const other of tree.querySelectorAll('[tabindex="0"]')) other.tabIndex = -1;
        target.tabIndex = 0;
        if (takesFocus) {
          target.focus({ preventScroll: true });
          target.querySelector(".row").scrollIntoView({ block: "nearest" });
        }
      }

      function toggle(target, isOpen) {
        if (target.ariaExpanded === null) return;
        target.ariaExpanded = String(isOpen);
        open.set(target.id, isOpen);
      }

      const visible = () => [...tree.querySelectorAll('[role="treeitem"]')]
        .filter((one) => !one.parentElement.closest('[aria-expanded="false"]'));
      const above = (target) => target.parentElement.closest('[role="treeitem"]');

      function step(target, key) {
        const all = visible();
        const index = all.indexOf(target);
        switch (key) {
          case "ArrowDown": return all[index + 1];
          case "ArrowUp": return all[index - 1];
          case "Home": return all[0];
          case "End": return all.at(-1);
          case "ArrowRight":
            if (target.ariaExpanded === "true") return target.querySelector('[role="treeitem"]');
            toggle(target, true);
            return target;
          case "ArrowLeft":
            if (target.ariaExpanded !== "true") return above(target);
            toggle(target, false);
            return target;
          case "Enter": case " ":
            toggle(target, target.ariaExpanded !== "true");
            return target;
          case "*":
            for (const one of target.parentElement.children) toggle(one, true);
            return target;
          default: return undefined;
        }
      }

      tree.addEventListener("keydown", (event) => {
        const target = event.target.closest('[role="treeitem"]');
        if (!target || event.ctrlKey || event.metaKey || event.altKey) return;
        const next = step(target, event.key);
        if (next === undefined && !event.key.startsWith("Arrow")) return;
        event.preventDefault();
        if (next) rove(next, true);
      });
      tree.addEventListener("click", (event) => {
        const target = event.target.closest(".row")?.parentElement;
        if (!target || String(getSelection())) return;
        toggle(target, target.ariaExpanded !== "true");
        rove(target, true);
      });
      document.addEventListener("keydown", (event) => {
        if (event.key !== "/" || event.target.matches("input")) return;
        event.preventDefault();
        query.focus();
      });
      // The skip link leads to the item that Tab would reach.
      document.querySelector(".skip").addEventListener("click", (event) => {
        event.preventDefault();
        (tree.querySelector('[tabindex="0"]') ?? tree).focus();
      });
      query.addEventListener("input", () => soon(200));
      $("search").addEventListener("submit", (event) => {
        event.preventDefault();
        soon(0);
      });
      $("door-form").addEventListener("submit", (event) => {
        event.preventDefault();
        enter($("token").value.trim().replace(/^.*#/, ""));
      });

      // The token goes out of the address at once, so that it is in no history and no screenshot.
      const token = location.hash.slice(1);
      if (token) history.replaceState(null, "", location.pathname);
      (token ? enter(token) : load()).catch(() => live("lost", "No answer"));
    })();

    """#
}

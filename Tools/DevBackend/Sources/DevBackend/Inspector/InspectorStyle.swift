extension InspectorPage {
  /// The CSS: light and dark, from 320 pixels on.
  static let style = #"""
    :root {
      color-scheme: light dark;
      --ground: light-dark(#f5f6f8, #14161a);
      --card: light-dark(#ffffff, #1d2026);
      --line: light-dark(#d9dde4, #343943);
      --text: light-dark(#1b1f27, #e9ebf0);
      --soft: light-dark(#5a6373, #a2abba);
      --accent: light-dark(#2457d6, #8db2ff);
      --good: light-dark(#146c43, #6fd6a3);
      --good-ground: light-dark(#e2f4ea, #173526);
      --watch: light-dark(#8a5300, #f3bf6b);
      --watch-ground: light-dark(#fdf0d8, #3a2c12);
      --bad: light-dark(#b3261e, #ff9d94);
      --bad-ground: light-dark(#fde7e5, #45191a);
      --quiet-ground: light-dark(#eceff3, #2a2f38);
      --mono: ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", monospace;
    }
    * { box-sizing: border-box; }
    body {
      margin: 0 auto;
      max-width: 64rem;
      padding: 0 1rem 2rem;
      background: var(--ground);
      color: var(--text);
      font: 0.9375rem/1.5 system-ui, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif;
      overflow-wrap: anywhere;
    }
    h1, h2, p, ul { margin: 0; padding: 0; }
    ul { list-style: none; }
    [hidden] { display: none !important; }
    .hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
    :focus { outline: none; }
    :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 0.4rem; }
    .skip {
      position: absolute; left: 1rem; top: -5rem; z-index: 2; padding: 0.6rem 1rem;
      background: var(--accent); color: var(--ground); border-radius: 0 0 0.5rem 0.5rem;
    }
    .skip:focus { top: 0; }

    header {
      top: 0; z-index: 1; margin: 0 -1rem; padding: 0.9rem 1rem 0.6rem;
      background: var(--ground); border-bottom: 1px solid var(--line);
    }
    @media (min-height: 36rem) { header { position: sticky; } }
    .bar { display: flex; align-items: center; justify-content: space-between; gap: 1rem; }
    h1 { font-size: 1.25rem; letter-spacing: -0.01em; }
    .live { display: flex; align-items: center; gap: 0.45rem; color: var(--soft); font-size: 0.875rem; }
    .live b { font-weight: 500; }
    .live span { width: 0.6rem; height: 0.6rem; border-radius: 50%; background: var(--soft); }
    .live[data-state="on"] span { background: var(--good); box-shadow: 0 0 0 0.25rem var(--good-ground); }
    .live[data-state="lost"] span { background: var(--bad); box-shadow: 0 0 0 0.25rem var(--bad-ground); }
    form label { display: block; margin: 0.6rem 0 0.25rem; color: var(--soft); font-size: 0.8125rem; }
    input {
      width: 100%; min-height: 2.75rem; padding: 0 0.85rem; font: inherit; color: inherit;
      background: var(--card); border: 1px solid var(--soft); border-radius: 0.6rem;
    }
    input::placeholder { color: var(--soft); opacity: 1; }
    .summary { min-height: 1.4rem; padding-top: 0.4rem; color: var(--soft); font-size: 0.8125rem; }
    .card { margin-top: 1rem; background: var(--card); border: 1px solid var(--line);
      border-radius: 0.8rem; }
    .door, .empty { padding: 1.25rem; }
    .door { max-width: 30rem; }
    .door h2 { font-size: 1.05rem; }
    button {
      margin-top: 0.8rem; min-height: 2.75rem; padding: 0 1.25rem; font: inherit; font-weight: 600;
      color: var(--card); background: var(--accent); border: 0; border-radius: 0.6rem;
    }
    .empty { color: var(--soft); text-align: center; }
    .note, footer { padding-top: 1rem; color: var(--soft); font-size: 0.8125rem; }
    kbd {
      padding: 0 0.4em; font: 0.8125rem var(--mono); background: var(--card);
      border: 1px solid var(--line); border-bottom-width: 2px; border-radius: 0.3rem;
    }

    [role="treeitem"]:focus-visible { outline: none; }
    [role="treeitem"]:focus-visible > .row {
      outline: 3px solid var(--accent); outline-offset: -3px; border-radius: 0.6rem;
    }
    .row { display: flex; align-items: flex-start; gap: 0.6rem; padding: 0.55rem 0.9rem; }
    [aria-expanded] > .row { cursor: pointer; }
    .twist { flex: none; line-height: 1.7; width: 1rem; color: var(--soft); transition: rotate 0.12s; }
    [aria-expanded="true"] > .row .twist { rotate: 90deg; }
    [aria-expanded="false"] > [role="group"] { display: none; }
    .what { flex: 1; min-width: 0; }
    .line { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.15rem 0.6rem; }
    .soft { color: var(--soft); font-size: 0.8125rem; }
    .mono { font-family: var(--mono); font-size: 0.78rem; }
    .user > .row { padding-block: 0.75rem; }
    .user > .row .title { font-size: 1.02rem; font-weight: 650; }
    .session { border-top: 1px solid var(--line); }
    .session > .row { padding-left: 1.4rem; }
    .session .title { font-weight: 600; }
    .chips { display: flex; flex-wrap: wrap; gap: 0.3rem; padding-top: 0.3rem; }
    .chip {
      padding: 0.05rem 0.55rem; font-size: 0.78rem; font-weight: 550; border-radius: 1rem;
      background: var(--quiet-ground); color: var(--soft);
    }
    .good { background: var(--good-ground); color: var(--good); }
    .watch { background: var(--watch-ground); color: var(--watch); }
    .bad { background: var(--bad-ground); color: var(--bad); }

    .events { padding: 0 0 0.6rem 2.6rem; }
    .event > .row { position: relative; padding: 0.3rem 0.9rem 0.3rem 0.4rem; }
    .event > .row::before {
      content: ""; position: absolute; left: 1.02rem; top: 0; bottom: 0; width: 2px;
      background: var(--line);
    }
    .event:first-child > .row::before { top: 0.9rem; }
    .event:last-child > .row::before { bottom: calc(100% - 0.9rem); }
    .mark {
      position: relative; flex: none; display: grid; place-items: center; width: 1.35rem;
      height: 1.35rem; margin-top: 0.05rem; font-size: 0.75rem; font-weight: 700; border-radius: 50%;
      background: var(--quiet-ground); color: var(--soft); box-shadow: 0 0 0 3px var(--card);
    }
    .mark.good { background: var(--good-ground); color: var(--good); }
    .mark.watch { background: var(--watch-ground); color: var(--watch); }
    .mark.bad { background: var(--bad-ground); color: var(--bad); }
    .event .title { font-weight: 550; }
    .event.bad-line .title { color: var(--bad); }
    .event time { margin-left: auto; }
    .hit > .row { background: light-dark(#fff6cc, #3b3616); border-radius: 0.6rem; }
    .fresh > .row { animation: fresh 2.5s ease-out; border-radius: 0.6rem; }
    @keyframes fresh { from { background: light-dark(#dbe7ff, #24345c); } }
    @media (max-width: 30rem) {
      body { padding-inline: 0.6rem; }
      header { margin-inline: -0.6rem; padding-inline: 0.6rem; }
      .row { padding-inline: 0.6rem; }
      .session > .row { padding-left: 0.9rem; }
      .events { padding-left: 1.6rem; }
      .event time { margin-left: 0; }
      footer p:first-child { display: none; }
    }
    @media (prefers-reduced-motion: reduce) {
      .twist { transition: none; }
      .fresh > .row { animation: none; }
    }
    @media (forced-colors: active) {
      .chip, .mark { border: 1px solid; }
    }

    """#
}

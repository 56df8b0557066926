/// The inspector's page, whole: it asks nothing from elsewhere.
///
/// It is kept as text, so that the executable is one file that runs anywhere.
enum InspectorPage {
  /// The HTML, which holds nothing that is secret.
  static let markup = #"""
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Session inspector</title>
    <link rel="stylesheet" href="/inspector/app.css">
    <script src="/inspector/app.js" defer></script>
    </head>
    <body>
    <a class="skip" href="#tree">Skip to the sessions</a>
    <header>
      <div class="bar">
        <h1>Session inspector</h1>
        <p id="live" class="live" data-state="off"><span aria-hidden="true"></span><b>Connecting…</b></p>
      </div>
      <form id="search" role="search">
        <label for="query">Search by request id, user, device or event</label>
        <input id="query" type="search" autocomplete="off" autocapitalize="off" spellcheck="false"
          placeholder="Request id, user, device, event" aria-describedby="summary">
      </form>
      <p id="summary" class="summary" role="status"></p>
    </header>
    <main>
      <section id="door" class="card door" hidden>
        <h2>Which token?</h2>
        <p id="door-text">Open the address that dev-backend printed at start, or paste the part after #.</p>
        <form id="door-form">
          <label for="token">Inspector token</label>
          <input id="token" type="password" autocomplete="off" required>
          <button>Look in</button>
        </form>
      </section>
      <p id="empty" class="card empty" hidden></p>
      <ul id="tree" role="tree" aria-label="Users, their sessions, and what became of them"
        tabindex="-1"></ul>
      <p id="cut" class="note" hidden>Only the 100 users who were active last are shown; search for
        others.</p>
    </main>
    <footer>
      <p><kbd>↑</kbd> <kbd>↓</kbd> move · <kbd>→</kbd> <kbd>←</kbd> open and close ·
        <kbd>*</kbd> open all beside · <kbd>/</kbd> search</p>
      <p>Events are those of this instance since its start, and what other instances told it of
        meanwhile. Nothing here changes anything.</p>
    </footer>
    <p id="news" class="hidden" role="status" aria-live="polite"></p>
    </body>
    </html>

    """#
}

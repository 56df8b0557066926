"""CODEOWNERS: one line and one team for each package, app and tool, none for what is gone."""
from .fault import Fault

PATH = "CODEOWNERS"


def check(tree):
    if not tree.exists(PATH):
        return [Fault(PATH, "is missing", "name one team for each package, app and tool")]
    faults, lines = [], {}
    for number, text in enumerate(tree.read(PATH).splitlines(), start=1):
        words = text.split("#")[0].split()
        if not words:
            continue
        pattern, teams = words[0], words[1:]
        if len(teams) != 1 or not teams[0].startswith("@"):
            faults.append(Fault(PATH, f"{pattern} has {len(teams)} owners",
                                "name exactly one team", number))
        if pattern in lines:
            faults.append(Fault(PATH, f"{pattern} is named twice", "keep one line", number))
        if pattern != "*" and not tree.exists(pattern.strip("/")):
            faults.append(Fault(PATH, f"{pattern} does not exist", "remove the line", number))
        lines[pattern] = number
    owned = [f"/{package.folder}/" for package in tree.packages] + ["/Tests/"]
    for folder in owned:
        if folder not in lines:
            faults.append(Fault(PATH, f"no line for {folder}", "add one that names its team"))
    # The last line that matches wins, so a general one must not come after a special one.
    for pattern, number in lines.items():
        for folder in owned:
            covers = pattern in ("*", "/") or folder.startswith(pattern) and folder != pattern
            if covers and number > lines.get(folder, number):
                faults.append(Fault(PATH, f"{pattern} takes {folder} from its team",
                                    "move general lines above special ones", number))
    return faults

#!/usr/bin/env python3
"""Opens pages in headless Chromium and checks them: safety, speed, layout, use by keyboard, contrast, live updates.

Needs the Python package selenium, and chromium and chromium-driver of Debian. Without arguments, makes all checks; the
names of some make only those.
"""
import base64
import http.server
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request

from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

import generate

HERE = pathlib.Path(__file__).resolve().parent
WORK = pathlib.Path(tempfile.mkdtemp(prefix="report-check-"))
SHOTS = WORK / "shots"
passed, failed = 0, []


def check(what, good, seen=""):
    global passed
    passed += bool(good)
    if not good:
        failed.append(what)
    print(("ok    " if good else "FAILED ") + what + (f"  [{seen}]" if seen != "" else ""), flush=True)


def browser():
    options = webdriver.ChromeOptions()
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-extensions",
                 f"--user-data-dir={WORK}/profile", "--window-size=1600,1000"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=webdriver.ChromeService("/usr/bin/chromedriver"))


def view(driver, width=1600, height=1000, scheme="light"):
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})


def until(driver, script, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if driver.execute_script("return " + script):
            return True
        time.sleep(0.05)
    return False


def opened(driver, address, rows):
    address = address.as_uri() if isinstance(address, pathlib.Path) else address
    driver.get(address)
    return until(driver, f"total === {rows} && !reading && document.readyState === 'complete'")


def log(driver):
    return [entry["message"] for entry in driver.get_log("browser")]


def shot(driver, name, full=False):
    SHOTS.mkdir(exist_ok=True)
    picture = driver.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": full})
    (SHOTS / f"{name}.png").write_bytes(base64.b64decode(picture["data"]))


CONTRAST = """
const parse = text => { const p = text.match(/[\\d.]+/g).map(Number); return {rgb: p.slice(0, 3), a: p[3] ?? 1}; };
const light = rgb => { const [r, g, b] = rgb.map(v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126*r + 0.7152*g + 0.0722*b; };
const behind = node => { for (; node; node = node.parentElement) { const c = parse(getComputedStyle(node).backgroundColor); if (c.a === 1) return c.rgb; } return [255, 255, 255]; };
const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), low = []; let least = 99, texts = 0;
for (let text; text = walk.nextNode();) {
  const box = text.parentElement, style = getComputedStyle(box);
  if (!text.data.trim() || !box.checkVisibility() || box.closest('script,noscript,option')) continue;
  const color = parse(box instanceof SVGElement ? style.fill : style.color), back = behind(box);
  const a = light(color.rgb), b = light(back), ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  texts++; least = Math.min(least, ratio);
  if (ratio < 4.5) low.push(text.data.slice(0, 30) + ' ' + ratio.toFixed(2));
}
const holder = getComputedStyle($('find'), '::placeholder').color, a = light(parse(holder).rgb), b = light(behind($('find')));
least = Math.min(least, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05));
return {least, texts, low};
"""

OVERFLOW = """
return {wide: document.documentElement.scrollWidth, view: innerWidth,
  out: [...document.querySelectorAll('#app *')].filter(n => n.checkVisibility() && !n.closest('.unheard') && getComputedStyle(n).display !== 'inline' && n.getBoundingClientRect().right > innerWidth + 1).map(n => n.tagName + '.' + n.className).slice(0, 5)};
"""

# From the event to the end of the next painted frame, and the part in the script with layout.
SPEED = """
const [kind, value, done] = arguments;
if (kind === 'find' && value) { $('find').value = ''; $('find').dispatchEvent(new Event('input')); }
const act = () => kind === 'find' ? ($('find').value = value, $('find').dispatchEvent(new Event('input')))
  : kind === 'mark' ? [...$('marks').querySelectorAll('label')].find(label => label.textContent.startsWith(value)).click()
  : document.querySelector(`#heads [data-key=${value}] button`).click();
requestAnimationFrame(() => setTimeout(() => {
  const start = performance.now(); act(); document.body.offsetHeight;
  const script = performance.now() - start;
  requestAnimationFrame(() => setTimeout(() => done([script, performance.now() - start, view.length])));
}));
"""


def check_looks(driver):
    for rows in (3, 300):
        path = WORK / f"{rows}.html"
        summary, _ = generate.make(path, generate.sample_rows(rows))
        for scheme in ("light", "dark"):
            for width in (360, 400, 700, 1100, 1600, 2000):
                view(driver, width, 1000, scheme)
                opened(driver, path, rows)
                widths = "return [...$('heads').children].map(h => h.offsetWidth).join(' ')"
                before = driver.execute_script(widths)
                driver.execute_script("toggle(0)")
                check(f"{rows} rows, {scheme}, {width} px: columns stay as wide beside details", driver.execute_script(widths) == before, before)
                seen = driver.execute_script(OVERFLOW)
                check(f"{rows} rows, {scheme}, {width} px: nothing sticks out", seen["wide"] <= width and not seen["out"], seen if seen["out"] else seen["wide"])
                if width in (400, 1600):
                    seen = driver.execute_script(CONTRAST)
                    check(f"{rows} rows, {scheme}, {width} px: contrast", seen["least"] >= 4.5 and seen["texts"] > 30, f"least {seen['least']:.2f} of {seen['texts']} texts {seen['low'][:3]}")
                    shot(driver, f"{rows}-{scheme}-{width}", full=rows == 3)
                    driver.execute_script("document.documentElement.style.scrollBehavior='auto'; $('files').scrollIntoView()")
                    shot(driver, f"{rows}-{scheme}-{width}-table")
    closed = {}
    for state in ("closed", "open"):
        driver.execute_script("if (state.open.has(0) !== arguments[0]) toggle(0)", state == "open")
        for width in (900, 1100, 1600, 1100):
            view(driver, width)
            time.sleep(0.3)
            seen = driver.execute_script(widths)
            check(f"{width} px, reached with details {state}: columns are as wide", seen == closed.setdefault(width, seen), seen)
    check("no console messages", not (seen := log(driver)), seen[:2] or "")


def check_hostile(driver):
    view(driver)
    rows = list(generate.hostile_rows())
    path = WORK / "hostile.html"
    generate.make(path, rows, title="</title><script>alert(1)</script>", preset="<b>", machines=[
        {"name": "<img src=x onerror=alert(1)>", "done": 3, "running": "a\u202eb", "silent": 90}])
    check("hostile names: all rows read", opened(driver, path, len(rows)))
    driver.execute_script("for (let i = 0; i < total; i++) toggle(i)")
    try:
        driver.switch_to.alert.dismiss()
        check("no script ran from names", False)
    except Exception:
        check("no script ran from names", driver.execute_script("return document.scripts.length") == 3 and driver.execute_script("return document.querySelectorAll('#app img').length") == 0)
    text = driver.execute_script("return $('rows').textContent")
    check("markup is shown as text", "<script>alert(1)</script>.mp4" in text and '"><img src=x onerror=alert(1)>' in text)
    check("unseen characters are shown", all(word in text for word in ("two\\nlines\\tand", "U+202E", "U+0000", "U+001B", "U+2028", "U+D83D")) and "\u202e" not in text)
    check("emoji stay whole", "👨‍👩‍👧‍👦" in text)
    links = driver.execute_script("return [...document.querySelectorAll('#rows a')].map(a => a.protocol)")
    check("links only to files and the web", links and set(links) <= {"file:", "https:", "http:"}, sorted(set(links)))
    check("an NFC word finds an NFD name", driver.execute_script("$('find').value = '\u00e9t\u00e9'; $('find').dispatchEvent(new Event('input')); return view.length") == 1)
    driver.execute_script("setResults([0, 1, 2, 3]); $('find').value = ''; $('find').dispatchEvent(new Event('input'))")
    view(driver, 400)
    driver.execute_script("drawCharts()")
    check("hostile names: nothing sticks out at 400 px", driver.execute_script(OVERFLOW)["wide"] <= 400)
    shot(driver, "hostile-400")
    view(driver)
    shot(driver, "hostile-1600")
    driver.execute_script("const s = document.createElement('script'); s.textContent = 'window.ran = 1'; document.body.append(s)")
    check("the content policy stops foreign scripts", not driver.execute_script("return window.ran"))
    check("the only console message is that stop", len(seen := [m for m in log(driver) if "Content Security Policy" not in m]) == 0, seen[:2] or "")


def check_keyboard(driver):
    view(driver)
    opened(driver, WORK / "300.html", 300)
    focus = lambda script: driver.execute_script("return document.activeElement." + script)
    press = lambda *keys: ActionChains(driver).send_keys(*keys).perform()
    press(Keys.TAB)
    check("first Tab goes to the skip link, in sight", focus("className") == "skip" and focus("getBoundingClientRect().top") >= 0)
    press(Keys.ENTER, Keys.TAB)
    check("the skip link leads to the files", focus("id") == "find")
    press(*"failed"[:0], "mp4")
    check("typing filters", driver.execute_script("return table.path.filter(p => p.toLowerCase().includes('mp4')).length <= view.length && view.length < 300"))
    press(Keys.TAB, Keys.SPACE)
    check("Space unticks converted", driver.execute_script("return !state.results.has(3) && view.every(i => table.result[i] !== 3)"))
    press(Keys.SPACE, Keys.TAB, Keys.TAB, Keys.TAB, Keys.TAB)
    check("Tab goes on to the files with losses", focus("closest('label').textContent").startswith("with losses") and not focus("checked"))
    press(Keys.SPACE)
    check("Space shows only these", driver.execute_script("return view.length && view.every(i => wholeRow(i)[6].length)"))
    press(Keys.TAB, Keys.SPACE)
    check("with the next, those of incomplete sources too", driver.execute_script("return view.some(i => !wholeRow(i)[6].length) && view.every(i => wholeRow(i)[6].length || wholeRow(i)[5])"))
    press(Keys.SPACE)
    ActionChains(driver).key_down(Keys.SHIFT).send_keys(Keys.TAB).key_up(Keys.SHIFT).send_keys(Keys.SPACE).perform()
    check("and all again without both", driver.execute_script("return state.marks") == 0)
    for _ in range(60):
        if focus("closest('th')?.dataset.key ?? ''") == "before":
            break
        press(Keys.TAB)
    press(Keys.ENTER)
    check("Enter on a head sorts, largest first", driver.execute_script("return view.every((v, at) => !at || table.before[view[at - 1]] >= table.before[v]) && document.querySelector('[data-key=before]').ariaSort") == "descending")
    press(Keys.ENTER)
    check("again turns it around", driver.execute_script("return view.every((v, at) => !at || table.before[view[at - 1]] <= table.before[v]) && document.querySelector('[data-key=before]').ariaSort") == "ascending")
    for _ in range(20):
        if focus("className") == "name":
            break
        press(Keys.TAB)
    outline = driver.execute_script("return getComputedStyle(document.activeElement).outlineStyle + getComputedStyle(document.activeElement).outlineWidth")
    check("focus is visible", outline == "solid2px", outline)
    press(Keys.ENTER)
    check("Enter opens the details", focus("ariaExpanded") == "true" and driver.execute_script("return document.activeElement.closest('tr').nextSibling.className") == "detail")
    press(Keys.TAB)
    check("Tab goes into the details", focus("tagName") == "A")
    press(Keys.ESCAPE)
    check("Escape closes them and goes back", focus("className") == "name" and focus("ariaExpanded") == "false")
    press(Keys.ENTER, Keys.ESCAPE)
    check("Escape on the name closes them too", focus("className") == "name" and focus("ariaExpanded") == "false"
          and not driver.execute_script("return document.querySelector('.detail, #rows .open')"))
    press(Keys.ESCAPE)
    check("and opens nothing that is closed", focus("ariaExpanded") == "false")
    press(Keys.SPACE)
    check("Space opens as well", focus("ariaExpanded") == "true")
    press(Keys.SPACE, Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_UP)
    check("arrow keys walk through the rows", driver.execute_script("return [...document.querySelectorAll('.name')].indexOf(document.activeElement)") == 1)
    for _ in range(300):
        press(Keys.TAB)
        if focus("dataset.go ?? ''") == "next":
            break
    press(Keys.ENTER)
    check("the pager works and keeps the focus", driver.execute_script("return state.page") == 1 and focus("dataset.go") == "next")
    check("the count is told", until(driver, "$('said').textContent.startsWith('Page 2 of')", 3))


FIND = "$('find').value = arguments[0]; $('find').dispatchEvent(new Event('input')); return view.map(i => table.number[i])"
CELLS = "return [...document.querySelectorAll('#rows > tr:not(.detail)')].map(r => [r.querySelector('.number').innerText, r.querySelector('.result').innerText])"


def check_marks(driver):
    """Incomplete sources, losses, outputs that are gone: in rows, filters, words to find and totals, all counted from the data here."""
    rows = [row for row in generate.sample_rows(900) if row[4] != "converted" or row[5] or row[6]][:200]
    for row in [row for row in rows if row[3]][::40]:
        generate.mark(row, generate.OUTPUT_GONE)
    next(row for row in rows if row[4] == "copied")[5] = generate.EARLY[0]
    rows += [[9001, "Only.mov", None, "Only.mov", "failed", "The source ends early.", ["Not counted."], [], 1, None, None, None, [1, 1, "x"], None]]
    done = [row for row in rows if row[4] in ("converted", "copied")]
    lossy, early = [r[0] for r in done if r[6]], [r[0] for r in done if r[5]]
    gone = [r[0] for r in done if r[3] is None]
    path = WORK / "marks.html"
    generate.make(path, rows)
    opened(driver, path, len(rows))
    driver.execute_script("$('size').value = 250; $('size').dispatchEvent(new Event('change'))")
    line = lambda: driver.execute_script("return $('marked').innerText").replace("\xa0", " ")
    check("totals name losses, incomplete sources and outputs that are gone", min(map(len, (lossy, early, gone))) > 1 and
          line() == f"{len(lossy)} with losses, {len(early)} from incomplete sources, {len(gone)} outputs are gone", line())
    kept = [row for row in done if row[3] is not None]
    share = 100 * abs(sum(row[8] - row[9] for row in kept)) / sum(row[8] for row in kept)
    tile = driver.execute_script("return $('totals').innerText").replace("\xa0", " ")
    check("outputs that are gone save no space", f"{share:.0f} %," in tile or f"{share:.0f}%," in tile or f"{share:.1f}%," in tile, (share, tile))
    cells = {number: text.replace("\xa0", " ") for number, text in driver.execute_script(CELLS)}
    wanted = {f"{row[0]:,}": ", ".join(filter(None, [row[5] and "incomplete source", row[6] and f"{len(row[6])} loss" + "es" * (len(row[6]) > 1),
                                                        row[3] is None and "output is gone"]))
              for row in done}
    both = [text for text in wanted.values() if text.startswith("incomplete source, ")]
    check("rows say all of these", both and any(text.endswith(", output is gone") for text in wanted.values()) and all(cells[number].split("\n")[1:] == ([text] if text else []) for number, text in wanted.items()), both[:1])
    check("a file that failed has its error", cells["9,001"].split("\n") == ["failed", "The source ends early."], cells["9,001"])
    names = lambda word: sorted(driver.execute_script(FIND, word))
    for word, expected in (("incomplete", early), ("loss", lossy), ("gone", gone), ("2 losses", [r[0] for r in done if len(r[6]) == 2]),
                           ("skipped", [r[0] for r in rows if r[4] == "skipped"]), ("incomplete copied", [r[0] for r in done if r[5] and r[4] == "copied"])):
        check(f"'{word}' finds the rows that show it", names(word) == sorted(expected) and expected, len(expected))
    driver.execute_script(FIND, "")
    tick = lambda name: driver.execute_script("[...$('marks').querySelectorAll('label')].find(l => l.textContent.startsWith(arguments[0])).click(); return view.map(i => table.number[i])", name)
    counts = lambda: driver.execute_script("return [...document.querySelectorAll('#results label, #marks label')].map(l => l.innerText.trim())")
    check("'with losses' shows those", sorted(tick("with losses")) == sorted(lossy))
    seen = counts()
    check("the numbers beside the filters keep to one another", "failed 0" in seen and f"with losses {len(lossy)}" in seen and f"incomplete {len(early)}" in seen, seen)
    check("with both, those that have either", sorted(tick("incomplete")) == sorted({*lossy, *early}))
    check("'incomplete' shows those", sorted(tick("with losses")) == sorted(early))
    driver.execute_script("toggle(view[0])")
    text = driver.execute_script("return document.querySelector('.detail').innerText")
    check("details name the reason", "Incomplete source\n" in text and any(words in text for words in generate.EARLY))
    tick("incomplete")
    driver.execute_script("$('find').value = 'gone'; $('find').dispatchEvent(new Event('input')); state.open = new Set(view); render()")
    seen = driver.execute_script("return [...document.querySelectorAll('.detail')].map(d => [d.innerText, d.querySelectorAll('.pair a').length])")
    check("details of an output that is gone say so, without a link to it", len(seen) == len(gone) and all("The output is gone" in text and links == 1 and "Open the output" not in text for text, links in seen), len(seen))
    driver.execute_script(FIND, "")
    driver.execute_script("$('only').click()")
    check("'Failed only' lets go of them", driver.execute_script("return view.length && view.every(i => table.result[i] === 0) && !document.querySelector('#marks :checked')"))
    driver.execute_script("$('only').click()")
    tree = driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    named = lambda role: [node["name"]["value"] for node in tree if node.get("role", {}).get("value") == role and not node.get("ignored") and node.get("name")]
    check("screen readers hear their names", {f"with losses {len(lossy)}", f"incomplete {len(early)}"} <= set(named("checkbox")) and "Only files" in named("group"), named("checkbox"))
    plain = [row for row in rows if not row[6] and not row[5] and row[0] not in gone]
    one = next(row for row in done if row[6] and row[5])
    generate.mark(one, generate.OUTPUT_GONE)
    generate.make(path, [*plain, one])
    driver.get(path.as_uri())
    until(driver, "total && !reading && document.readyState === 'complete'")
    check("one is one", line() == "1 with losses, 1 from an incomplete source, 1 output is gone", line())
    generate.make(path, plain)
    driver.get(path.as_uri())
    until(driver, "total && !reading && document.readyState === 'complete'")
    check("none has no line", not driver.execute_script("return $('marked').checkVisibility()"))
    check("no console messages", not (seen := log(driver)), seen[:2] or "")


def check_fate(driver):
    """What has become of files since, and of the work: each word that says so, and the sums that leave out such files."""
    path = WORK / "fate.html"
    rows = [row for row in generate.sample_rows(400) if row[4] == "converted" and row[3] and not row[5] and not row[6]][:6]
    fates = [(generate.OUTPUT_GONE, "output is gone", "The output is gone"), (generate.OUTPUT_CHANGED, "output changed since", "The output was changed since"),
             (generate.SOURCE_GONE, "source is gone", "The source is gone"), (generate.SOURCE_CHANGED, "source changed since", "The source was changed since"),
             (generate.LOSSES_UNKNOWN, "losses unknown", "Unknown: the output was found")]
    for row, (bits, _, _) in zip(rows, fates):
        generate.mark(row, bits)
    rows[5] = rows[5][:17] + [None] * (17 - len(rows[5])) + [None, "mp3-128k", "Its output has replaced the source; the original is /kept/it"]

    def page(**more):
        generate.make(path, rows, **more)
        driver.get(path.as_uri())
        until(driver, "total && !reading && document.readyState === 'complete'")
        return driver.execute_script("return [$('about').innerText, $('totals').innerText, $('marked').innerText]")

    about, totals, marked = (text.replace("\xa0", " ") for text in page(presets=2, batches=3, keptOriginals=1))
    check("totals say what became of files", marked == "losses of 1 unknown, 1 output is gone, 1 output changed since, 1 source is gone, 1 source changed since", marked)
    check("several presets and batches are named", "Last preset" in about and "Results" in totals and "of 2 presets" in totals and "Time of the last batch" in totals, (about, totals[:80]))
    check("originals that are kept are named", "1 original was kept" in totals)
    driver.execute_script("state.open = new Set(view); render()")
    cells = dict(driver.execute_script(CELLS))
    details = driver.execute_script("return [...document.querySelectorAll('.detail')].map(d => d.innerText)")
    for row, (_, short, long) in zip(rows, fates):
        text = next(text for text in details if text.count(row[1]))
        check(f"{short}: in the row and its details", short in cells[f"{row[0]:,}"].replace("\xa0", " ") and long in text, cells[f"{row[0]:,}"])
        check(f"{short}: no link to what is not there", "Open the source" not in text if row[2] is None else "Open the source" in text)
    last = next(text for text in details if rows[5][1] in text)
    check("details name the preset, the output and the original", all(words in last for words in ("mp3-128k", rows[5][16], "/kept/it", "Open the original")), last[:200])
    sizes = driver.execute_script("$('size-table').parentNode.open = true; return [...$('size-table').querySelectorAll('tbody tr')].map(r => Number(r.children[1].innerText))")
    check("the chart leaves out outputs that are gone or changed", sum(sizes) == 4, sizes)
    check("an output's name finds its row", driver.execute_script(FIND, rows[5][16].rsplit("/", 1)[1].lower()) == [rows[5][0]])
    odd = [[7, "two\nlines.mov", None, None, "failed", "It is cut.", [], [], 1, None, 0, None]]
    generate.make(path, odd)
    driver.get(path.as_uri())
    until(driver, "total && !reading && document.readyState === 'complete'")
    check("spelled out characters can be found", driver.execute_script(FIND, "two\\nlines") == [7])
    about, totals, _ = page(started=1795700000, ended=None, cut=True)
    check("a batch that was stopped is named", "was stopped before its end" in about and "some may remain" in totals, (about, totals[:80]))
    about, totals, _ = page(live=True)
    check("a page of work that goes on says so", "made while the work went on" in about and "more may follow" in totals, about)
    about, totals, _ = page(started=None, ended=None, preset=None)
    check("a ledger without batches has a page", about == "" and "6" in totals, about)
    check("no console messages", not (seen := log(driver)), seen[:2] or "")


def check_semantics(driver):
    opened(driver, WORK / "300.html", 300)
    driver.execute_script("toggle(0)")
    tree = driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    named = lambda role: [node.get("name", {}).get("value", "") for node in tree if node.get("role", {}).get("value") == role and not node.get("ignored")]
    for role, least in (("table", 1), ("columnheader", 10), ("checkbox", 6), ("searchbox", 1), ("spinbutton", 1), ("main", 1), ("search", 1), ("navigation", 1), ("image", 3)):
        names = named(role)
        check(f"{role}: {len(names)}, all named" if role != "main" else "main", len(names) >= least and (role == "main" or all(names)), names[0][:60] if names else "none")
    check("every button has a name", all(named("button")), len(named("button")))
    check("pictures have text", driver.execute_script("return [...document.querySelectorAll('#rows img')].length === 2 && [...document.querySelectorAll('#rows img')].every(i => i.alt && i.complete && i.naturalWidth)"))
    view(driver, 400)
    tree = driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    check("cards are still a table at 400 px", len(named("table")) >= 1 and len(named("row")) > 100, f"{len(named('row'))} rows")
    view(driver)
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-reduced-motion", "value": "reduce"}]})
    check("reduced motion is kept to", driver.execute_script("return getComputedStyle($('live'), '::before').animationName === 'none' && getComputedStyle(document.querySelector('.name'), '::before').transitionDuration === '0s'"))


def check_without_scripts(driver):
    view(driver)
    driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    driver.get((WORK / "300.html").as_uri())
    text = driver.find_element("tag name", "body").text
    shot(driver, "no-scripts")
    driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    check("without scripts: a sentence, totals and failures", "Scripts are off" in text and "Space saved" in text and "Failed files" in text, text[:60].replace("\n", " / "))


def check_cut_off(driver):
    text = (WORK / "300.html").read_text()
    (WORK / "cut.html").write_text(text[:-40000])
    view(driver)
    driver.get((WORK / "cut.html").as_uri())
    check("a report cut off says so", until(driver, "$('alert').textContent.includes('written to its end')", 5))
    log(driver)


def check_speed(driver, rows=100_000, path=None):
    path = path or WORK / "big.html"
    if not path.exists():
        generate.make(path, generate.sample_rows(rows), title="Everything")
    view(driver)
    paints, ready = [], []
    for _ in range(5):
        driver.get("about:blank")
        start = time.monotonic()
        opened(driver, path, rows)
        ready.append((time.monotonic() - start) * 1000)
        paints.append(driver.execute_script("return performance.getEntriesByName('first-contentful-paint')[0].startTime"))
    size = path.stat().st_size / 1e6
    print(f"      {rows} rows, {size:.0f} MB: first contentful paint {[round(p) for p in paints]} ms, all rows read after {[round(r) for r in ready]} ms")
    check("first paint < 1 s", statistics.median(paints) < 1000, f"median {statistics.median(paints):.0f} ms")
    driver.set_script_timeout(60)
    time.sleep(2)
    for kind, values in (("find", ["iceland", "mp4", "gps track", "12 of", "loss", "incomplete", "converted", "zzz", "hevc 2019", ""]), ("sort", ["before", "before", "path", "speed", "result", "codec", "number"])):
        for value in values:
            tries = [driver.execute_async_script(SPEED, kind, value) for _ in range(5 if kind == "find" else 1)]
            script, frame = (statistics.median(t[part] for t in tries) for part in (0, 1))
            check(f"{kind} '{value}' within 100 ms", script < 100, f"script and layout {script:.0f} ms, next frame done {frame:.0f} ms, {tries[0][2]} rows")
    for name in ("with losses", "incomplete"):
        tries = [driver.execute_async_script(SPEED, "mark", name) for _ in range(6)]
        script, frame = (statistics.median(t[part] for t in tries) for part in (0, 1))
        check(f"filter '{name}' within 100 ms", script < 100, f"script and layout {script:.0f} ms, next frame done {frame:.0f} ms, {tries[0][2]} rows")
    memory = driver.execute_script("return performance.memory.usedJSHeapSize / 1e6")
    print(f"      script memory {memory:.0f} MB")
    shot(driver, "big-1600")
    check("no console messages", not (seen := log(driver)), seen[:2] or "")


class Live(http.server.BaseHTTPRequestHandler):
    rows, page, tokens, live, broken = [], b"", [], True, False

    def do_GET(self):
        parts = urllib.parse.urlsplit(self.path)
        asked = dict(urllib.parse.parse_qsl(parts.query))
        body, kind = Live.page, "text/html; charset=utf-8"
        if parts.path == "/data.json":
            Live.tokens.append(asked.get("token"))
            body, kind = json.dumps({"summary": live_summary(), "rows": list(map(served_row, Live.rows[int(asked["after"]):][:1000])), "cursor": len(Live.rows)}).encode(), "application/json"
        self.send_response(503 if Live.broken and kind != "text/html; charset=utf-8" else 200)
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def served_row(row):
    return [*row, *[None] * (20 - len(row)), row[1]]


def live_summary():
    machines = [{"name": "mac-mini", "done": len(Live.rows), "running": "2019/Drone/GX01_00042.MP4", "silent": 1.2}, {"name": "old-laptop", "done": 7, "running": None, "silent": 260}]
    summary = generate.summary_of(Live.rows, live=Live.live, machines=machines, title="Running now", ended=1795701000, session=7)
    summary["counts"]["remaining"] = 500 - len(Live.rows)
    return summary


def check_live(driver):
    rows = list(generate.sample_rows(500))
    Live.rows = rows[:300]
    page = WORK / "live.html"
    generate.write_report(page, live_summary(), map(served_row, Live.rows[:120]))
    Live.page = page.read_bytes()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Live)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    view(driver)
    driver.get(f"http://127.0.0.1:{server.server_port}/?token=s3cret%26x")
    check("live: asks for the rows it lacks", until(driver, "total === 300", 8))
    check("live: sends its token", set(Live.tokens) == {"s3cret&x"}, set(Live.tokens))
    shot(driver, "live-1600")
    driver.execute_script("$('find').value = 'mp4'; $('find').dispatchEvent(new Event('input')); sortBy('before', true);"
                          "document.querySelectorAll('.name')[40].focus(); document.querySelectorAll('.name')[40].click(); document.querySelectorAll('.name')[40].scrollIntoView({block: 'center'})")
    place = "const b = document.activeElement; return [b.textContent, b.getBoundingClientRect().top, b.ariaExpanded, $('find').value, state.key]"
    before = driver.execute_script(place)
    Live.rows = rows[:480]
    until(driver, "total === 480", 8)
    after = driver.execute_script(place)
    check("live: focus, scroll, filter, order and details stay", before[0] == after[0] and abs(before[1] - after[1]) < 1.5 and before[2:] == after[2:] and before[0], f"{before[1]:.1f} -> {after[1]:.1f}")
    check("live: new rows are in order", driver.execute_script("return view.every((v, at) => !at || table.before[view[at - 1]] >= table.before[v]) && view.some(i => i > 300)"))
    log(driver)
    Live.broken = True
    check("live: a lost connection is told", until(driver, "$('alert').textContent.includes('Nothing new since')", 8))
    seen = driver.execute_script("const box = $('alert').getBoundingClientRect(); return box.top >= 0 && box.bottom <= innerHeight")
    check("live: in sight, and nothing moves for it", seen and abs(driver.execute_script(place)[1] - after[1]) < 1.5)
    shot(driver, "lost-1600")
    Live.broken = False
    check("live: and its return", until(driver, "$('alert').textContent === '' && !lost", 8))
    Live.live, Live.rows = False, rows
    check("live: the end is shown", until(driver, "$('live').hidden && total === 500", 8))
    asked = len(Live.tokens)
    time.sleep(3)
    check("live: then it asks on, as another batch may begin", len(Live.tokens) > asked)
    changed = [next(row for row in rows if row[6])[:]]
    changed[0][4], changed[0][5] = "failed", "a changed reason"
    at, lossy = changed[0][0] - 1, sum(len(row[6]) > 0 for row in rows)
    check("live: totals have losses", driver.execute_script("return $('marked').innerText").startswith(f"{lossy}\xa0with losses"))
    before = driver.execute_script("return [total, table.number[arguments[0]], [...sizes.values()].reduce((all, g) => all + g.before, 0)]", at)
    Live.rows = rows + changed
    check("live: a row that comes again is changed in its place", until(driver, f"table.note[{at}] === 'a changed reason' && table.result[{at}] === 0", 8))
    after = driver.execute_script("return [total, table.number[arguments[0]], [...sizes.values()].reduce((all, g) => all + g.before, 0)]", at)
    check("live: the totals follow", driver.execute_script("return $('marked').innerText").startswith(f"{lossy - 1}\xa0with losses"))
    check("live: and no row or size counts twice", before == after, f"{before} {after}")
    seen = [message for message in log(driver) if "503" not in message]
    check("live: no console messages of its own", not seen, seen[:2] or "")
    server.shutdown()
    opened(driver, page, 120)
    check("live: a copy opened from disk does not ask and does not say live", driver.execute_script("return $('live').hidden && !polling && $('alert').textContent === ''"))


def check_served(driver):
    """Opens the files of both sides of a batch as the links of `respool serve` do."""
    respool = os.environ.get("RESPOOL", str(HERE.parents[1] / ".build/debug/respool"))
    source, output = WORK / "in", WORK / "out"
    source.mkdir()
    tone, shown = ["-f", "lavfi", "-i", "sine=d=1"], ["-f", "lavfi", "-i", "testsrc=d=1:s=160x120"]
    for name, inputs in {"a.wav": tone, "b.mp3": tone, "c.ogg": tone, "d.mp4": shown + tone, "e.webm": shown, "f.mp4": shown}.items():
        subprocess.run(["ffmpeg", "-v", "error", *inputs, source / name], check=True)
    subprocess.run([respool, "batch", source, "--to", output, "--preset", "h264-fast-480p"], check=False, capture_output=True)
    server = subprocess.Popen([respool, "serve", output, "--port", "0"], stdout=subprocess.PIPE, text=True)
    try:
        address = server.stdout.readline().strip()
        driver.get(address)
        until(driver, "total > 0 && !reading")
        driver.execute_script("document.querySelectorAll('#rows button[aria-expanded=false]').forEach(button => button.click())")
        find = "[...document.querySelectorAll('#rows a')].map(link => link.href)"
        check("served: the page links files", until(driver, f"{find}.length >= 6", 8))
        links = driver.execute_script("return " + find)
        log(driver)
        for link in links:
            driver.get(link)
            played = until(driver, "document.querySelector('video, audio')?.readyState >= 2", 8)
            check("served: it plays " + "/".join(link.split("/")[3:]), played, log(driver)[:1] or "")
        check("served: scripts of files do not run", driver.execute_cdp_cmd("Runtime.evaluate", {"expression": "origin", "returnByValue": True})["result"]["value"] == address.rstrip("/")
              and "allow-scripts" not in urllib.request.urlopen(links[0]).headers["Content-Security-Policy"])
    finally:
        server.terminate()
        server.wait()


def check_files():
    head = (generate.PAGE / "head.html").read_text("utf-8")
    check("the hashes in head.html are right", all(value in head for value in generate.hashes(head).values()))
    check("no innerHTML and the like", not any(word in head for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "style=\"")))


if __name__ == "__main__":
    check_files()
    driver = browser()
    names = sys.argv[1:] or ["looks", "hostile", "keyboard", "marks", "fate", "semantics", "without_scripts", "cut_off", "live", "served", "speed"]
    try:
        if not (WORK / "300.html").exists():
            generate.make(WORK / "300.html", generate.sample_rows(300))
        for name in names:
            globals()["check_" + name](driver)
    finally:
        driver.quit()
        shutil.rmtree(WORK, ignore_errors=True)
    print(f"{passed} passed, {len(failed)} failed")
    sys.exit(bool(failed))

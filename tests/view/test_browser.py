"""The viewer's page in a browser: headless Chromium, by playwright."""
import numpy as np
import pytest

import transgrad as tg
from transgrad.view import view

from .chromium import MISSING, find_chromium
from .programs import heat

playwright = pytest.importorskip("playwright.sync_api")


@pytest.fixture(scope="module")
def page_file(tmp_path_factory):
    g = tg.grad(heat, argnums=(0, 1))
    values = {"u0": np.linspace(0.0, 1.0, 12) ** 2, "c": 0.2, "steps": 5}
    return view(g, values, profile=True).save(tmp_path_factory.mktemp("view") / "heat.html")


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as p:
        path = find_chromium(p)
        if path is None:
            pytest.skip(MISSING)
        made = p.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield made
        made.close()


@pytest.fixture
def opened(browser, page_file):
    pages = []

    def open_page(width=1280, height=900, scheme="light"):
        context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, offline=True)
        page = context.new_page()
        errors = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("request", lambda request: request.url.startswith("file:") or errors.append(request.url))
        page.goto(page_file.as_uri())
        pages.append((context, errors))
        return page
    yield open_page
    for context, errors in pages:
        context.close()
        assert not errors


def texts(page, selector):
    return [t.strip() for t in page.locator(f"{selector} code").all_text_contents()]


def test_hover_highlights_the_lines_that_belong_together(opened):
    page = opened()
    page.hover("#function .line:has-text('u[1:-1] += c *')")
    pairs = texts(page, "#derivative .pair")
    assert "u_bar[2:] += q" in pairs and "saved_s.append(s)" in pairs and not any("return u_bar" in t for t in pairs)
    page.hover("#derivative .line:has-text('u_bar[2:] += q')")
    assert texts(page, "#function .pair") == ["u[1:-1] += c * (u[2:] - 2.0 * u[1:-1] + u[:-2])"]
    assert "u_bar[:-2] += q" in texts(page, "#derivative .pair")


def test_a_click_keeps_the_selection_and_shows_values(opened):
    page = opened()
    page.click("#function .line:has-text('u[1:-1] += c *')")
    page.hover("#function .line:has-text('def heat')")
    assert texts(page, ".here") == ["u[1:-1] += c * (u[2:] - 2.0 * u[1:-1] + u[:-2])"]
    shown = page.inner_text("#inspector")
    assert "runs 5 times" in shown and "float64 [12]" in shown and "Reverse sweep" in shown


def test_the_keyboard(opened):
    page = opened()
    page.keyboard.press("ArrowDown")
    assert "def heat" in page.inner_text(".here")
    for _ in range(4):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    assert page.locator("#derivative .here").count() == 1 and page.locator("#function .pair").count() == 1
    assert page.evaluate("document.activeElement.classList.contains('here')")
    page.keyboard.press("ArrowLeft")
    assert page.locator("#function .here").count() == 1
    page.keyboard.press("p")
    assert page.get_attribute("[data-path=u0]", "aria-pressed") == "true" and page.locator(".path").count() > 4
    page.keyboard.press("p")
    assert page.get_attribute("[data-path=c]", "aria-pressed") == "true"
    page.keyboard.press("Escape")
    assert page.locator(".here, .path").count() == 0
    page.keyboard.press("?")
    assert page.is_visible("#keys")


def test_paths(opened):
    page = opened()
    page.click("[data-path=c]")
    lines = texts(page, "#function .path")
    assert any("u[1:-1] += c" in t for t in lines) and not any('"""' in t for t in lines)
    page.click("[data-path=c]")
    assert page.locator(".path").count() == 0


def test_light_and_dark(opened):
    def background(page):
        return page.evaluate("getComputedStyle(document.body).backgroundColor")
    light, dark = opened(), opened(scheme="dark")
    assert background(light) != background(dark)
    light.keyboard.press("t")
    assert background(light) == background(dark)


def test_phone(opened):
    page = opened(390, 800)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.is_visible("#function") and not page.is_visible("#derivative")
    page.click("[data-tab=derivative]")
    assert page.is_visible("#derivative") and not page.is_visible("#function")


def test_ir_and_profile(opened):
    page = opened()
    assert not page.is_visible("details pre")
    page.click("summary:has-text('IR of the derivative')")
    assert "grad" in page.inner_text("details[open] pre") or page.is_visible("details[open] pre")
    assert "µs" in page.inner_text("#derivative .cost >> nth=2") or "ms" in page.inner_text("#derivative .cost >> nth=2")
    assert "Saved for the reverse sweep" in page.inner_text("details.saved summary")

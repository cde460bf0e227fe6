package io.godwit.api;

import io.godwit.testing.Await;
import io.godwit.testing.Needs;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.logging.Level;
import org.openqa.selenium.By;
import org.openqa.selenium.JavascriptExecutor;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/** Headless Chromium with a tab. Where the machine has no Chromium or no driver of it, the test is skipped. */
public final class Browser implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String INSTALLER = ".ci/install-test-clients does it";
    /** A request that was answered with an error is no error of the page. */
    private static final String ANSWERED = "Failed to load resource";

    private static final int MOST_PIXELS = 1_500;

    private final ChromeDriver driver;
    private final List<String> errors = new ArrayList<>();

    private Browser(ChromeDriver driver) {
        this.driver = driver;
    }

    /** @param directory for its profile */
    public static Browser open(Path directory) {
        String program = Needs.program("chromium", "chromium-browser", "google-chrome");
        String driver = Needs.program("chromedriver");
        Needs.need(program != null, "chromium", INSTALLER);
        Needs.need(driver != null, "chromium-driver", INSTALLER);
        ChromeOptions options = new ChromeOptions();
        options.setBinary(Objects.requireNonNull(program));
        options.addArguments(
                "--headless=new",
                "--no-sandbox", // which root cannot have; the page is ours
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--hide-scrollbars", // a screenshot of a whole page has none, and would be narrower than the page
                "--lang=en",
                "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
                "--window-size=1280,900",
                "--user-data-dir=" + directory.resolve("profile"));
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.ALL);
        options.setCapability("goog:loggingPrefs", logs);
        ChromeDriverService service = new ChromeDriverService.Builder()
                .usingDriverExecutable(new File(Objects.requireNonNull(driver)))
                .usingAnyFreePort()
                .build();
        return new Browser(new ChromeDriver(service, options));
    }

    public ChromeDriver driver() {
        return driver;
    }

    /** Opens a new document, even if only the part after # differs. */
    public void go(String address) {
        driver.get("about:blank");
        driver.get(address);
    }

    public WebElement find(String css) {
        Await.until(
                () -> "no " + css + " in: " + text(),
                PATIENCE,
                () -> !driver.findElements(By.cssSelector(css)).isEmpty());
        return driver.findElement(By.cssSelector(css));
    }

    /** How many there are now. */
    public int count(String css) {
        return driver.findElements(By.cssSelector(css)).size();
    }

    /** Waits until an element that can be seen has the text. */
    public void sees(String css, String text) {
        Await.until(() -> css + " never has \"" + text + "\": " + text(), PATIENCE, () -> {
            try {
                return driver.findElements(By.cssSelector(css)).stream()
                        .anyMatch(each -> each.isDisplayed() && each.getText().contains(text));
            } catch (StaleElementReferenceException e) {
                return false; // replaced meanwhile
            }
        });
    }

    /** Waits until none that can be seen is left. */
    public void seesNo(String css) {
        Await.until(() -> css + " stays: " + text(), PATIENCE, () -> {
            try {
                return driver.findElements(By.cssSelector(css)).stream().noneMatch(WebElement::isDisplayed);
            } catch (StaleElementReferenceException e) {
                return false;
            }
        });
    }

    /** Acts as if the tab became visible again: the page then requests new data at once. */
    public void lookAgain() {
        run("document.dispatchEvent(new Event('visibilitychange'))");
    }

    public String text() {
        return driver.findElement(By.tagName("body")).getText();
    }

    /** What the script returns. */
    public Object run(String script, Object... arguments) {
        return ((JavascriptExecutor) driver).executeScript(script, arguments);
    }

    /** Light or dark, and without animations: a screenshot during one shows little. */
    public void scheme(boolean isDark) {
        driver.executeCdpCommand(
                "Emulation.setEmulatedMedia",
                Map.of(
                        "features",
                        List.of(
                                Map.of("name", "prefers-color-scheme", "value", isDark ? "dark" : "light"),
                                Map.of("name", "prefers-reduced-motion", "value", "reduce"))));
    }

    public void width(int pixels) {
        driver.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", pixels, "height", 900, "deviceScaleFactor", 1, "mobile", pixels < 600));
    }

    /** The page as PNG, as far down as {@link #MOST_PIXELS}. */
    public void picture(Path file) throws IOException {
        Map<String, Object> taken = driver.executeCdpCommand(
                "Page.captureScreenshot", Map.of("format", "png", "captureBeyondViewport", true, "clip", clip()));
        Files.createDirectories(file.toAbsolutePath().getParent());
        Files.write(file, Base64.getDecoder().decode(String.valueOf(taken.get("data"))));
    }

    private Map<String, Object> clip() {
        Object width = run("return document.documentElement.clientWidth");
        Object height = run("return Math.min(arguments[0], document.documentElement.scrollHeight)", MOST_PIXELS);
        return Map.of("x", 0, "y", 0, "width", width, "height", height, "scale", 1);
    }

    /** Errors of the pages since the start, such as a script that the policy refused. */
    public List<String> errors() {
        driver.manage().logs().get(LogType.BROWSER).getAll().stream()
                .map(entry -> entry.getLevel() + " " + entry.getMessage())
                .filter(line -> !line.contains(ANSWERED))
                .forEach(errors::add);
        return List.copyOf(errors);
    }

    @Override
    public void close() {
        driver.quit();
    }
}

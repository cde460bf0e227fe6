package io.godwit.api;

import static io.godwit.api.Dashboard.HARMLESS;
import static io.godwit.api.Dashboard.HOSTILE;
import static io.godwit.api.Dashboard.OPERATOR;
import static io.godwit.api.Dashboard.VIEWER;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.api.port.watch.EventTypes;
import io.godwit.api.port.watch.WatchFeed.Item;
import io.godwit.api.port.watch.WatchSource.EventFilter;
import io.godwit.api.port.watch.WatchSource.TraceFilter;
import io.godwit.testing.Await;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;

/** The live pages, in a real browser, over a broker in memory. */
@Tag("slow")
@ExtendWith(OneBrowser.class)
class DashboardWatchTest {
    @TempDir
    private Path directory;

    private Dashboard dashboard;

    private static Browser browser() {
        return OneBrowser.browser();
    }

    @BeforeEach
    void openDashboard() throws Exception {
        dashboard = new Dashboard(directory);
    }

    @AfterEach
    void closeDashboard() {
        dashboard.close();
    }

    private static Item connected(String clientId) {
        return new Item(
                "event", Map.of("node", FakeNode.ID, "atMillis", 7L, "type", "client-connected", "clientId", clientId));
    }

    /** The next feed after {@code before} others. */
    private FakeWatches.Feed feed(int before) {
        List<FakeWatches.Feed> feeds = dashboard.api.node.watches.feeds;
        Await.until("the page watches", () -> feeds.size() > before);
        return feeds.get(before);
    }

    @Test
    void eventsComeLiveAndWait() {
        dashboard.logIn(VIEWER, "#/events?type=client-connected&tenant=t");
        FakeWatches.Feed feed = feed(0);
        assertThat(dashboard.api.node.watches.asked)
                .containsExactly(new EventFilter(
                        Set.of("client-connected"), Optional.empty(), Optional.of("t"), Optional.empty()));
        browser().sees("#types summary", "Types: 1 of " + EventTypes.all().size());
        feed.tell(Item.node(FakeNode.ID, true));
        feed.tell(Item.node(FakeNode.OTHER, false));
        feed.tell(connected(HOSTILE));
        browser().sees("tbody tr", HARMLESS);
        browser().sees("#live-nodes", "what happens there is missing: " + FakeNode.OTHER);
        browser().find("#pause").sendKeys(Keys.SPACE);
        feed.tell(connected("b"));
        feed.tell(connected("c"));
        feed.tell(Item.lost(FakeNode.ID, 12));
        browser().sees("#live-state", "Paused: 2 more came. 3 entries; 12 were lost");
        assertThat(browser().count("tbody tr")).isEqualTo(1);
        browser().find("#pause").sendKeys(Keys.SPACE);
        browser().sees("tbody tr:first-child", "c");
        assertThat(browser().count("tbody tr")).isEqualTo(3);
        browser().find("#clear").click();
        browser().sees(".empty", "None.");
        browser().find("#stop").click();
        browser().sees("#live-state", "Stopped.");
        Await.until("the stream ends", () -> feed.isClosed);
        browser().find("#start").click();
        feed(1).tell(connected("d"));
        browser().sees("tbody tr", "d");
        browser().run("location.hash = '#/clients'");
        Await.until("the stream ends with the page", () -> dashboard.api.node.watches.last().isClosed);
    }

    @Test
    void rowsAreBounded() {
        dashboard.logIn(VIEWER, "#/events");
        FakeWatches.Feed feed = feed(0);
        for (int i = 0; i < 700; i++) {
            feed.tell(connected("c" + i));
        }
        browser().sees("#live-state", "700 entries, the last 500 are shown.");
        browser().sees("tbody tr:first-child", "c699");
        assertThat(browser().count("tbody tr")).isEqualTo(500);
    }

    @Test
    void typesAndAClientAreChosen() {
        dashboard.logIn(VIEWER, "#/events");
        feed(0);
        browser().find("#types summary").sendKeys(Keys.ENTER);
        assertThat(browser().run("return [...document.querySelectorAll('#types input')].map(each => each.value)"))
                .isEqualTo(List.copyOf(EventTypes.all()));
        browser().find("#type-message-dropped").sendKeys(Keys.SPACE);
        browser().sees("#types summary", "Types: 1 of");
        browser().find("#client").sendKeys("lamp", Keys.ENTER);
        feed(1);
        assertThat(dashboard.api.node.watches.asked.get(1))
                .isEqualTo(new EventFilter(
                        Set.of("message-dropped"), Optional.of("lamp"), Optional.empty(), Optional.empty()));
    }

    @Test
    void aStreamThatIsRefusedIsAskedForAgain() {
        dashboard.api.node.watches.isFull = true;
        dashboard.logIn(VIEWER, "#/events");
        browser().sees("#notice", "as much is watched as may be");
        dashboard.api.node.watches.isFull = false;
        feed(0).tell(connected("a"));
        browser().sees("tbody tr", "a");
        browser().seesNo("#notice");
    }

    private static Item traced(String type, String topic) {
        return new Item("trace", Map.of("node", FakeNode.ID, "atMillis", 7L, "type", type, "topic", topic));
    }

    @Test
    void aTopicIsTraced() {
        dashboard.logIn(OPERATOR, "#/trace");
        browser().find("#start").click();
        browser().sees("#trace-error", "Say a client id");
        assertThat(dashboard.api.node.watches.traced).isEmpty();
        browser().find("#topic").sendKeys("rooms/#", Keys.ENTER);
        FakeWatches.Feed feed = feed(0);
        assertThat(dashboard.api.node.watches.traced)
                .containsExactly(
                        new TraceFilter(Optional.empty(), Optional.of("rooms/#"), Optional.empty(), Optional.empty()));
        feed.tell(traced("published", HOSTILE));
        browser().sees("tbody tr", "topic=" + HARMLESS);
        browser().run("""
                URL.createObjectURL = file => { file.text().then(text => window.kept = text); return '#' };
                HTMLAnchorElement.prototype.click = function() { window.keptAs = this.download }""");
        browser().find("#download").click();
        Await.until(
                "the file",
                () -> browser().run("return window.kept ?? ''").toString().endsWith("\n"));
        assertThat(browser().run("return window.keptAs + ': ' + window.kept"))
                .isEqualTo(
                        "trace.txt: 1970-01-01T00:00:00.007Z " + FakeNode.ID + " published topic=" + HARMLESS + "\n");
        feed.isOver = true;
        browser().sees("#live-state", "The node stops. 1 entry.");
        browser().find("#start").click();
        feed(1);
        browser().sees("#live-state", "Live. 0 entries.");
        browser().find("#stop").click();
        browser().sees("#live-state", "Stopped.");
        Await.until("the trace ends", () -> dashboard.api.node.watches.last().isClosed);
    }

    @Test
    void aViewerCannotTrace() {
        dashboard.logIn(VIEWER, "#/trace?topic=a");
        browser().sees("#may-not", "To trace needs the role operator.");
        assertThat(browser().count("main form, main button, nav a[data-page=trace]"))
                .isZero();
    }
}

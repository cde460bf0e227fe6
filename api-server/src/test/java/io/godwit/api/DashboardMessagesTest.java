package io.godwit.api;

import static io.godwit.api.Dashboard.HARMLESS;
import static io.godwit.api.Dashboard.HOSTILE;
import static io.godwit.api.Dashboard.OPERATOR;
import static io.godwit.api.Dashboard.VIEWER;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.api.port.client.ClientReference;
import io.godwit.api.port.client.SubscriptionAdmin.Subscription;
import io.godwit.api.port.message.DelayedAdmin.DelayedView;
import io.godwit.api.port.message.MessagePublisher;
import io.godwit.plugin.message.Qos;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;

/** The pages of sessions, subscriptions and messages in a real browser, over a broker in memory. */
@Tag("slow")
@ExtendWith(OneBrowser.class)
class DashboardMessagesTest {
    @TempDir
    private Path directory;

    private Dashboard dashboard;
    private ApiFixture api;

    private static Browser browser() {
        return OneBrowser.browser();
    }

    @BeforeEach
    void openDashboard() throws Exception {
        dashboard = new Dashboard(directory);
        api = dashboard.api;
    }

    @AfterEach
    void closeDashboard() {
        dashboard.close();
    }

    private void open(String token, String page) {
        dashboard.logIn(token, page);
    }

    @Test
    void sessionsAreFoundPageByPage() {
        for (int i = 0; i < 60; i++) {
            api.node.sessions.add("default", "lamp-%02d".formatted(i), i % 2 == 0, i);
        }
        api.node.sessions.add("t1", HOSTILE, false, 7);
        open(VIEWER, "#/sessions");
        browser().sees("#found", "Page 1, 50 sessions");
        browser().find("#next").click();
        browser().sees("#found", "Page 2, 11 sessions");
        browser().sees("tbody th", HARMLESS);
        browser().find("#back").click();
        browser().sees("#found", "Page 1, 50 sessions");
        browser().find("#queued").sendKeys("50");
        browser().find("#away").sendKeys(Keys.SPACE);
        browser().find("#text").sendKeys("lamp", Keys.ENTER);
        browser().sees("#found", "Page 1, 5 sessions");
        assertThat(browser().find("#away").isSelected()).isTrue();
        assertThat(browser().text()).contains("lamp-51", "lamp-59").doesNotContain("lamp-49", "lamp-50");
    }

    @Test
    void anOperatorEmptiesAQueueAndEndsASession() {
        api.node.sessions.add("t1", HOSTILE, false, 7);
        open(OPERATOR, "#/sessions");
        browser().find("tbody a").sendKeys(Keys.ENTER);
        browser().sees("#session-state", "Its client is not connected.");
        browser().sees("#client-id", HARMLESS);
        browser().sees(".fields", "Queued messages");
        browser().find("#purge").click();
        browser().sees("dialog", HARMLESS);
        browser().find("#dialog-no").click();
        assertThat(browser().run("return document.activeElement.id")).isEqualTo("purge");
        assertThat(api.node.sessions.calls).isEmpty();
        browser().find("#purge").click();
        browser().find("#dialog-yes").click();
        browser().sees("#session-state", "Dropped 6 messages; 1 that may have been sent stay.");
        browser().find("#end").click();
        browser().find("#dialog-yes").click();
        browser().sees("#session-state", "Ended.");
        browser().seesNo("#end");
        assertThat(api.node.sessions.calls).containsExactly("purge t1 " + HOSTILE, "delete t1 " + HOSTILE);
        open(OPERATOR, "#/sessions/nobody?tenant=t1");
        browser().sees("#session-state", "There is no such session.");
    }

    @Test
    void receiversOfATopicAreShown() {
        open(VIEWER, "#/subscriptions");
        browser().find("#text").sendKeys("rooms/+/1", Keys.ENTER);
        browser().sees("#found", "The first 1 of 7 receivers");
        browser().sees("tbody tr", "$share/g/a/+");
        browser().find("#by").sendKeys("Who has the filter");
        browser().find("#text").clear();
        browser().find("#text").sendKeys("rooms/#", Keys.ENTER);
        browser().sees("#found", "receivers");
        assertThat(api.node.sessions.calls).contains("topic default rooms/+/1", "filter default rooms/#");
        open(VIEWER, "#/subscriptions?by=topic&text=a%2F%23");
        browser().sees("#notice", "wildcard");
    }

    @Test
    void subscriptionsOfAClientAreListed() {
        api.node.sessions.subscribed.put(
                new ClientReference("default", "c/1"),
                List.of(new Subscription("a/+", 1, true, false, 0), new Subscription(HOSTILE, 2, false, false, 9)));
        api.node.sessions.missing = List.of("node-x");
        open(VIEWER, "#/subscriptions?by=client&text=c%2F1");
        browser().sees("#found", "Page 1, 2 subscriptions; no answer from node-x");
        browser().sees("tbody tr", "a/+");
        browser().sees("tbody tr", HARMLESS);
        api.node.sessions.missing = List.of(); // else it would be unknown whether there is such a client
        browser().find("#text").clear();
        browser().find("#text").sendKeys("nobody", Keys.ENTER);
        browser().sees("[role=alert]", "There is no such client or session.");
        browser().find("#text").clear();
        browser().find("#text").sendKeys("..", Keys.ENTER);
        browser().sees("[role=alert]", "cannot be written");
    }

    @Test
    void aRetainedMessageIsShownAndCleared() {
        api.node.messages.retain(HOSTILE, ("a\n<b>\u202e" + HOSTILE).getBytes(StandardCharsets.UTF_8));
        api.node.messages.retain("rooms/1/binary", new byte[] {0, 1, (byte) 0xff, 'A'});
        open(VIEWER, "#/retained");
        browser().sees("#found", "2 messages");
        browser().sees("tbody th", HARMLESS);
        open(OPERATOR, "#/retained/rooms%2F1%2Fbinary");
        browser().sees("#payload", "00000000  00 01 ff 41");
        browser().find("#shown-as").sendKeys("Text");
        browser().sees("#payload", "A");
        open(OPERATOR, "#/retained");
        browser().find("tbody a").click();
        browser().sees("#payload", "a\n<b>\\u{202e}" + HARMLESS);
        browser().find("#clear").click();
        browser().find("#dialog-yes").click();
        browser().sees("#retained-state", "Cleared.");
        assertThat(api.node.messages.retained).containsOnlyKeys("rooms/1/binary");
        open(VIEWER, "#/retained/rooms%2F1%2Fbinary");
        browser().sees("#may-not", "the role operator");
        assertThat(browser().count("#clear")).isZero();
        open(VIEWER, "#/retained/nothing");
        browser().sees("#retained-state", "No message of this topic is retained.");
        open(VIEWER, "#/retained?filter=a%2F%23%2Fb");
        browser().sees("#notice", "is no topic filter");
    }

    @Test
    void anOperatorPublishes() {
        open(OPERATOR, "#/publish?topic=rooms%2F1");
        browser().find("#payload").sendKeys(HOSTILE);
        browser().find("#qos").sendKeys("2");
        browser().find("#retain").sendKeys(Keys.SPACE);
        browser().find("summary").click();
        browser().find("#content-type").sendKeys("text/plain");
        browser().find("#user-properties").sendKeys("a=b=c\nd=");
        browser().find("#expiry").sendKeys("60");
        browser().find("#topic").sendKeys(Keys.ENTER);
        browser().sees("#outcome", "rooms/1: published. Somebody is subscribed.");
        MessagePublisher.Outgoing sent = api.node.messages.published.get(0).message();
        assertThat(sent.topic()).isEqualTo("rooms/1");
        assertThat(new String(sent.payload(), StandardCharsets.UTF_8)).isEqualTo(HOSTILE);
        assertThat(sent.qos()).isEqualTo(Qos.EXACTLY_ONCE);
        assertThat(sent.retain()).isTrue();
        assertThat(sent.properties().contentType()).isEqualTo("text/plain");
        assertThat(sent.properties().userProperties()).hasSize(2);

        api.node.messages.outcome = MessagePublisher.Outcome.NO_SUBSCRIBERS;
        browser().find("#topic").sendKeys(Keys.ENTER);
        browser().sees("#outcome", "Nobody is subscribed.");
        browser().find("#user-properties").sendKeys("x");
        browser().find("#user-properties").clear();
        browser().find("#user-properties").sendKeys("nonsense");
        browser().find("#topic").sendKeys(Keys.ENTER);
        browser().sees("#publish-error", "A user property has no =.");
        browser().find("#user-properties").clear();
        browser().find("#topic").clear();
        browser().find("#topic").sendKeys("$SYS/x", Keys.ENTER);
        browser().sees("#publish-error", "the broker alone publishes below $SYS");
        assertThat(api.node.messages.published).hasSize(2);

        open(VIEWER, "#/publish");
        browser().sees("#may-not", "the role operator");
        assertThat(browser().count("form")).isZero();
    }

    @Test
    void groupsAndTheirMembersAreListed() {
        open(VIEWER, "#/groups");
        browser().sees("#found", "Page 1, 3 groups");
        browser().find("#group").sendKeys("g", Keys.ENTER);
        browser().sees("#found", "Page 1, 1 group");
        browser().sees("tbody tr", "shared");
        api.node.sessions.missing = List.of("node-x");
        browser().find("tbody a").sendKeys(Keys.ENTER);
        browser().sees("#shared-filter", "$share/g/a/+");
        browser().sees("#found", "The first 1 of 7 members; no answer from node-x, whose subscriptions are missing");
        browser().sees("tbody a", "c");
        open(VIEWER, "#/groups?group=nobody");
        browser().sees(".empty", "None.");
    }

    @Test
    void messagesThatWaitAreListedAndDiscarded() {
        for (int i = 0; i < 60; i++) {
            api.node.delayed.waiting.add(
                    new DelayedView("id/" + i, i == 0 ? HOSTILE : "rooms/" + i, "timer", 1, 7, 1_800_000_000_000L));
        }
        open(VIEWER, "#/delayed");
        browser().sees("#found", "Page 1, 50 messages");
        browser().sees("tbody tr", HARMLESS);
        assertThat(browser().count("tbody button")).isZero();
        open(OPERATOR, "#/delayed");
        browser().sees("tbody tr", HARMLESS);
        assertThat(browser().count("#discard-all")).isZero();
        browser().find("tbody tr:first-child button").sendKeys(Keys.ENTER);
        browser().sees("dialog", HARMLESS);
        browser().find("#dialog-yes").click();
        browser().sees("#done", "Discarded 1 message.");
        assertThat(browser().text()).doesNotContain(HARMLESS);
        assertThat(browser().run("return document.activeElement.id")).isEqualTo("title");
        assertThat(api.node.delayed.waiting).hasSize(59);
        browser().find("#filter").sendKeys("rooms/+", Keys.ENTER);
        browser().sees("#found", "50 messages");
        browser().find("#discard-all").click();
        browser().sees("dialog", "rooms/+");
        browser().find("#dialog-yes").click();
        browser().sees("#done", "Discarded 59 messages.");
        browser().sees(".empty", "None.");
        assertThat(api.node.delayed.waiting).isEmpty();
    }
}

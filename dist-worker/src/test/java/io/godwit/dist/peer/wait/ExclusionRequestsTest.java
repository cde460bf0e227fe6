package io.godwit.dist.peer.wait;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.godwit.dist.member.view.NodeLife;
import io.godwit.dist.peer.TestNode;
import io.godwit.dist.peer.TestView;
import io.godwit.dist.peer.link.ManualTimers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** How often a member that cannot be excluded is asked for, until when, and the log lines about it. */
class ExclusionRequestsTest {
    private static final NodeLife OTHER = new NodeLife("b", 2);

    private final Logger logger = (Logger) LoggerFactory.getLogger(ExclusionLog.class);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final TestNode.Cluster cluster = new TestNode.Cluster();
    private final ManualTimers timers = cluster.timers;
    private final TestView view = cluster.view;
    private final ExclusionRequests exclusions = new ExclusionRequests(new TestNode(cluster, "a", 1, () -> {
                throw new IllegalStateException();
            })
            .parts);

    @BeforeEach
    void listen() {
        logger.setLevel(Level.WARN);
        logger.setAdditive(false);
        lines.start();
        logger.addAppender(lines);
        view.hasMajority = false;
    }

    @AfterEach
    void stopListening() {
        logger.detachAppender(lines);
        logger.setAdditive(true);
        logger.setLevel(null);
    }

    private void askEvery(Duration pause, int times, NodeLife life, String why) {
        for (int i = 0; i < times; i++) {
            assertThat(exclusions.exclude(life, why)).isCompletedExceptionally();
            timers.advance(pause);
        }
    }

    private List<String> logged() {
        return lines.list.stream()
                .map(line -> line.getFormattedMessage().replaceAll("cause=[^=]* count", "count"))
                .toList();
    }

    @Test
    void theSameLinesComeOnceInTenSecondsWithTheirCount() {
        askEvery(Duration.ofMillis(100), 250, OTHER, "silent");
        assertThat(logged())
                .containsExactly(
                        "member is to be excluded node=b incarnation=2 count=1",
                        "member could not be excluded node=b incarnation=2 count=1",
                        "member is to be excluded node=b incarnation=2 count=100",
                        "member could not be excluded node=b incarnation=2 count=100",
                        "member is to be excluded node=b incarnation=2 count=100",
                        "member could not be excluded node=b incarnation=2 count=100");
        assertThat(lines.list.get(0).getFormattedMessage()).contains("cause=silent");
        assertThat(lines.list.get(1).getFormattedMessage()).contains("cannot be agreed on");
    }

    @Test
    void anotherMemberAndAnotherCauseAreLoggedAtOnce() {
        askEvery(Duration.ZERO, 5, OTHER, "silent");
        askEvery(Duration.ZERO, 5, OTHER, "its link is over");
        askEvery(Duration.ZERO, 5, new NodeLife("b", 3), "silent");
        assertThat(logged())
                .containsExactly(
                        "member is to be excluded node=b incarnation=2 count=1",
                        "member could not be excluded node=b incarnation=2 count=1",
                        "member is to be excluded node=b incarnation=2 count=1",
                        "member is to be excluded node=b incarnation=3 count=1",
                        "member could not be excluded node=b incarnation=3 count=1");
    }

    @Test
    void oneLoopAsksForAMemberHoweverWaitersComeAndGo() {
        ExclusionRequests requests = new ExclusionRequests(cluster.serving("c", 1).parts);
        boolean[] isNeeded = {true};
        CompletableFuture<Void> first = requests.insist(OTHER, "silent", () -> isNeeded[0]);
        isNeeded[0] = false;
        requests.reconsider(OTHER);
        assertThat(first).isCompletedExceptionally();

        AtomicInteger checks = new AtomicInteger();
        requests.insist(OTHER, "silent", () -> checks.incrementAndGet() > 0);
        checks.set(0);
        timers.advance(ExclusionRequests.AGAIN.multipliedBy(3));
        assertThat(checks).hasValue(3);
    }

    @Test
    void aNodeThatIsBackFailsOnlyThoseThatNoLongerNeedItsExclusion() {
        TestNode node = cluster.serving("c", 1);
        ExclusionRequests requests = new ExclusionRequests(node.parts);
        boolean[] isNeeded = {true};
        CompletableFuture<Void> unneeded = requests.insist(OTHER, "silent", () -> isNeeded[0]);
        CompletableFuture<Void> needed = requests.insist(OTHER, "silent", () -> true);
        node.members.epoch++; // fails the other one at its next attempt
        isNeeded[0] = false;
        requests.reconsider(OTHER);
        assertThat(unneeded).isCompletedExceptionally();
        assertThat(needed).isNotDone();
        timers.advance(ExclusionRequests.AGAIN);
        assertThat(needed).isCompletedExceptionally();
    }

    @Test
    void whatIsNotNeededFailsAtOnceAndExcludesNobody() {
        view.hasMajority = true;
        TestNode node = cluster.serving("c", 1);
        ExclusionRequests requests = new ExclusionRequests(node.parts);
        assertThat(requests.insist(OTHER, "silent", () -> false)).isCompletedExceptionally();
        assertThat(node.members.excluded).isEmpty();
        assertThat(requests.insist(OTHER, "silent", () -> true)).isCompleted();
        assertThat(node.members.excluded).containsExactly(OTHER);
    }

    @Test
    void theNumberOfKnownCausesIsBounded() {
        ExclusionLog log = new ExclusionLog(timers::nanoTime);
        for (int i = 0; i <= ExclusionLog.MAX_LINES; i++) {
            log.asked(OTHER, "cause " + i);
        }
        lines.list.clear();
        log.asked(OTHER, "cause " + ExclusionLog.MAX_LINES);
        assertThat(lines.list).isEmpty();
        log.asked(OTHER, "cause 0");
        assertThat(lines.list).hasSize(1);
    }
}

package io.godwit.mqtt.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.mqtt.session.core.QueuedBytes;
import io.godwit.mqtt.subscribe.ReplayQueue;
import io.godwit.mqtt.subscribe.RetainedReplay;
import io.godwit.mqtt.transport.loop.LoopContext;
import io.godwit.mqtt.twin.MemoryRetain;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import io.godwit.retain.client.RetainClient;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The queue by itself, with a session that decides when it accepts messages. */
class ReplayQueueTest {
    private final MemoryRetain retain = new MemoryRetain();
    private final Taker taker = new Taker();
    private final QueuedBytes room = new QueuedBytes(1 << 30);
    private ReplayQueue queue = newQueue();

    private ReplayQueue newQueue() {
        LoopContext loop = new LoopContext(0, Runnable::run);
        loop.bindToCurrentThread();
        return new ReplayQueue(new RecordingConnection(loop), retain, TenantId.DEFAULT, taker, room);
    }

    @BeforeEach
    void retainSome() {
        queue = newQueue();
        for (int number = 0; number < 3; number++) {
            retain.set(TenantId.DEFAULT, message("r/" + number));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 100}) // others of the same session, begun and not over
    void whatCameLiveSinceAReplayBeganIsNotSent(int others) {
        taker.isReady = false;
        List<RetainedReplay> all = new ArrayList<>();
        queue.noteLive("r/0");
        all.add(begin("r/+"));
        for (int i = 0; i < others; i++) {
            all.add(begin("other/" + i));
        }
        queue.noteLive("r/1");
        all.add(begin("r/#"));
        queue.noteLive("r/2");
        all.forEach(replay -> queue.run(replay, true));
        taker.isReady = true;
        queue.advance();

        assertThat(taker.taken).containsExactly("r/+ r/0", "r/# r/0", "r/# r/1");
        assertThat(queue.isEmpty()).isTrue();
        RetainedReplay later = begin("r/#");
        queue.run(later, true);
        assertThat(taker.taken).endsWith("r/# r/0", "r/# r/1", "r/# r/2");
    }

    private static Message newer(String topic) {
        byte[] payload = "new".getBytes(StandardCharsets.UTF_8);
        return new Message(topic, payload, Qos.AT_LEAST_ONCE, true, 0, MessageProperties.NONE);
    }

    /** A client can cause any number of notes while one replay stays open. Messages read before them are read again. */
    @Test
    void notesOfLiveMessagesAreBoundedAndNothingStaleIsSent() {
        RetainedReplay replay = begin("r/#");
        queue.run(begin("none"), true);
        taker.takes = 1;
        queue.run(replay, true);
        assertThat(taker.taken).containsExactly("r/# r/0");

        retain.set(TenantId.DEFAULT, newer("r/2"));
        queue.noteLive("r/2");
        for (int i = 0; i < 5 * ReplayQueue.MAX_NOTED; i++) {
            queue.noteLive("r/live/" + i);
            assertThat(queue.notes()).isLessThanOrEqualTo(ReplayQueue.MAX_NOTED);
        }
        String longName = "x".repeat(60_000);
        for (int i = 0; i < 100; i++) {
            queue.noteLive("r/" + i + longName);
        }
        assertThat(queue.notes()).isLessThan(20);
        taker.takes = 100;
        queue.advance();
        assertThat(taker.taken).containsExactly("r/# r/0", "r/# r/1", "r/# r/2");
        assertThat(taker.payloads).endsWith("new");
    }

    /** Each session may note a megabyte: of many that is the heap. */
    @Test
    void allSessionsShareTheRoomForNotes() {
        retain.set(TenantId.DEFAULT, message("r/2"));
        RetainedReplay replay = begin("r/#");
        for (int i = 0; i < 1_000; i++) {
            queue.noteLive("r/live/" + i);
        }
        assertThat(queue.notes()).isEqualTo(1_000);
        long own = room.held();
        assertThat(own).isBetween(100_000L, 200_000L);

        room.add(1 << 30); // others
        queue.noteLive("r/live/one-more");
        assertThat(queue.notes()).isZero();
        assertThat(room.held()).isEqualTo(1 << 30);
        for (int i = 0; i < 1_000; i++) {
            queue.noteLive("r/live/" + i);
            assertThat(room.held() - (1 << 30))
                    .as("each session may use a small amount in any case")
                    .isLessThan(17_000);
        }
        queue.run(replay, true); // nothing is lost: forgotten messages are read again
        taker.takes = 100;
        queue.advance();
        assertThat(taker.taken).containsExactly("r/# r/0", "r/# r/1", "r/# r/2");
        assertThat(room.held()).as("the room is returned after the last replay").isEqualTo(1 << 30);
    }

    @Test
    void aSessionThatIsOverGivesBackTheRoomOfItsNotes() {
        begin("r/#");
        queue.noteLive("r/live");
        assertThat(room.held()).isPositive();
        queue.close();
        assertThat(room.held()).isZero();
    }

    /** The page being fetched is older than live messages that came meanwhile. */
    @Test
    void aPageThatIsOnItsWayIsReadAgainToo() {
        CompletableFuture<RetainClient.Page> onItsWay = new CompletableFuture<>();
        retain.answerNextMatch(onItsWay);
        RetainedReplay replay = begin("r/#");
        queue.run(replay, true);
        for (int i = 0; i <= ReplayQueue.MAX_NOTED; i++) {
            queue.noteLive("r/live/" + i);
        }
        retain.set(TenantId.DEFAULT, newer("r/0"));
        onItsWay.complete(new RetainClient.Page(List.of(message("r/0")), null));
        assertThat(taker.taken).containsExactly("r/# r/0", "r/# r/1", "r/# r/2");
        assertThat(taker.payloads).startsWith("new");
    }

    @Test
    void ofThreeReplaysOfAFilterTheLastThatIsWantedRuns() {
        RetainedReplay first = begin("r/#");
        RetainedReplay second = begin("r/#");
        RetainedReplay third = begin("r/#");
        queue.run(first, true);
        queue.run(second, true);
        assertThat(taker.taken)
                .as("the second replay waits until it is decided whether the third runs")
                .isEmpty();
        queue.run(third, false);
        assertThat(taker.taken).containsExactly("r/# r/0", "r/# r/1", "r/# r/2");
        assertThat(queue.isEmpty()).isTrue();
    }

    @Test
    void aCancelledFilterIsNotSentAndHoldsUpNoOther() {
        taker.isReady = false;
        RetainedReplay cancelled = begin("r/+");
        RetainedReplay other = begin("r/0");
        queue.run(cancelled, true);
        queue.run(other, true);
        queue.cancel(cancelled.filter());
        taker.isReady = true;
        queue.advance();
        assertThat(taker.taken).containsExactly("r/0 r/0");
    }

    /** The head need not end soon: a replay that its client does not read stays for as long as the client likes. */
    @Test
    void thoseThatOthersHaveReplacedDoNotStayBehindAReplayThatStands() {
        taker.isReady = false;
        queue.run(begin("stands"), true);
        for (int i = 1; i <= 1000; i++) {
            queue.run(begin("r/#"), true);
            assertThat(taker.ended).isEqualTo(i - 1);
        }
        for (int i = 0; i < 1000; i++) {
            queue.run(begin("r/+"), true);
            queue.cancel(TopicFilter.parse("r/+").orElseThrow());
        }
        assertThat(taker.ended).isEqualTo(1999);
        taker.isReady = true;
        queue.advance();
        assertThat(taker.taken).containsExactly("r/# r/0", "r/# r/1", "r/# r/2");
        assertThat(queue.isEmpty()).isTrue();
        assertThat(taker.ended).isEqualTo(2001);
    }

    /** As one SUBSCRIBE may bring them: they cost as much as the same number of different filters. */
    @Test
    void oneFilterManyTimesCostsNoMoreThanManyFilters() {
        int count = 100_000;
        taker.isReady = false;
        runAll(count / 10, i -> "warm/" + i % 2);
        long different = runAll(count, i -> "f/" + i);
        long same = runAll(count, i -> "same");
        assertThat(same).isLessThan(10 * different + 100_000_000);
    }

    private long runAll(int count, IntFunction<String> filters) {
        queue = newQueue();
        List<RetainedReplay> all = new ArrayList<>(count);
        long begin = System.nanoTime();
        for (int i = 0; i < count; i++) {
            all.add(begin(filters.apply(i)));
        }
        all.forEach(replay -> queue.run(replay, true));
        return System.nanoTime() - begin;
    }

    @Test
    void aReplayThatIsReplacedWhileItsPageIsOnItsWayGivesUpItsPlace() {
        CompletableFuture<RetainClient.Page> onItsWay = new CompletableFuture<>();
        retain.answerNextMatch(onItsWay);
        queue.run(begin("r/#"), true);
        queue.run(begin("r/+"), true);
        queue.run(begin("r/#"), true);
        queue.cancel(TopicFilter.parse("r/+").orElseThrow());
        assertThat(taker.ended).isEqualTo(1);
        onItsWay.complete(new RetainClient.Page(List.of(message("r/0")), null));
        assertThat(taker.taken).containsExactly("r/# r/0", "r/# r/1", "r/# r/2");
        assertThat(taker.ended).isEqualTo(3);
        assertThat(queue.isEmpty()).isTrue();
    }

    @Test
    void aReplayThatIsDecidedAfterALaterOneIsDropped() {
        RetainedReplay first = begin("r/#");
        RetainedReplay second = begin("r/#");
        queue.run(second, true);
        queue.run(first, true);
        assertThat(taker.taken).containsExactly("r/# r/0", "r/# r/1", "r/# r/2");
        assertThat(queue.isEmpty()).isTrue();
    }

    @Test
    void aReplayThatReachesTheLimitEndsWithoutTheRest() {
        taker.maxMatches = 2;
        queue.run(begin("r/#"), true);
        queue.run(begin("r/+"), true);
        assertThat(taker.taken)
                .as("each replay has its own count")
                .containsExactly("r/# r/0", "r/# r/1", "r/+ r/0", "r/+ r/1");
        assertThat(taker.limited).containsExactly("r/# 2", "r/+ 2");
        assertThat(taker.completed).isEqualTo(2);
        assertThat(taker.ended).isEqualTo(2);
        assertThat(queue.isEmpty()).isTrue();
    }

    @Test
    void aReplayThatHasNoMoreThanTheLimitIsNotReported() {
        taker.maxMatches = 3;
        queue.run(begin("r/#"), true);
        assertThat(taker.taken).containsExactly("r/# r/0", "r/# r/1", "r/# r/2");
        assertThat(taker.limited).isEmpty();
    }

    /** They would take the place of messages that the client does not have yet. */
    @Test
    void messagesThatAreNotSentDoNotCount() {
        taker.maxMatches = 1;
        RetainedReplay replay = begin("r/#");
        queue.noteLive("r/0");
        queue.noteLive("r/1");
        queue.run(replay, true);
        assertThat(taker.taken).containsExactly("r/# r/2");
        assertThat(taker.limited).isEmpty();
    }

    @Test
    void aLimitThatIsLoweredMeanwhileHolds() {
        taker.takes = 2;
        queue.run(begin("r/#"), true);
        taker.maxMatches = 1;
        taker.takes = 10;
        queue.advance();
        assertThat(taker.taken).containsExactly("r/# r/0", "r/# r/1");
        assertThat(taker.limited).containsExactly("r/# 1");
        assertThat(queue.isEmpty()).isTrue();
    }

    private RetainedReplay begin(String filter) {
        RetainedReplay replay = new RetainedReplay(TopicFilter.parse(filter).orElseThrow(), Qos.AT_LEAST_ONCE, 0, null);
        queue.begin(replay);
        return replay;
    }

    private static Message message(String topic) {
        return new Message(
                topic, "x".getBytes(StandardCharsets.UTF_8), Qos.AT_LEAST_ONCE, true, 0, MessageProperties.NONE);
    }

    private static final class Taker implements ReplayQueue.Sink {
        private final List<String> taken = new ArrayList<>();
        private final List<String> payloads = new ArrayList<>();
        private boolean isReady = true;
        private int ended;
        /** How many more it takes. */
        private int takes = Integer.MAX_VALUE;

        private long maxMatches;
        private final List<String> limited = new ArrayList<>();
        private int completed;

        @Override
        public boolean isReady() {
            return isReady && takes > 0;
        }

        @Override
        public void accept(RetainedReplay replay, Message message) {
            takes--;
            taken.add(replay.filter().text() + ' ' + message.topic());
            payloads.add(new String(message.payload(), StandardCharsets.UTF_8));
        }

        @Override
        public long maxMatches() {
            return maxMatches;
        }

        @Override
        public void limited(RetainedReplay replay, long most) {
            limited.add(replay.filter().text() + ' ' + most);
        }

        @Override
        public boolean isSettled() {
            return true;
        }

        @Override
        public void completed(RetainedReplay replay) {
            completed++;
        }

        @Override
        public void delayed(RetainedReplay replay, Throwable cause) {
            throw new AssertionError(cause);
        }

        @Override
        public void ended(RetainedReplay replay) {
            ended++;
        }
    }
}

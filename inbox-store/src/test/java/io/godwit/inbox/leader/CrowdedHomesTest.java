package io.godwit.inbox.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.inbox.carrier.home.HomeSettings;
import io.godwit.inbox.client.AttachReply;
import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.InsertOutcome;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.testing.InMemoryNode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Slow or absent homes, while much is published. */
@Tag("in-process")
class CrowdedHomesTest {
    private static final int WAITING_BYTES = 256 << 10;
    private static final int SERVED_BYTES = 64 << 10;

    private final HomesFixture homes =
            new HomesFixture(3, 3, false, new HomeSettings(20_000, 20, WAITING_BYTES, SERVED_BYTES, 64 << 20));
    private final String led0 = homes.idLedBy(0, "a");

    @AfterEach
    void close() {
        homes.close();
    }

    /** A publisher that waits for each answer is never refused then. */
    @Test
    void publishersAreToWaitLongBeforeThereIsNoRoom() {
        TestConnection connection = homes.attach(2, led0);
        noLeader();
        List<CompletableFuture<List<InsertOutcome>>> answers = new ArrayList<>();
        while (!homes.client(2).isCrowded()) {
            answers.add(homes.insert(2, "m" + answers.size(), 1, connection));
            assertThat(answers).hasSizeLessThan(WAITING_BYTES / 256);
        }
        assertThat(homes.nodes.get(2).peers.waitingBytes()).isBetween(WAITING_BYTES / 2L, WAITING_BYTES * 6L / 10);
        assertThat(answers).noneMatch(CompletableFuture::isDone);

        homes.host.elect(1);
        answers.forEach(answer -> assertThat(homes.await(answer)).containsExactly(InsertOutcome.STORED));
        assertThat(homes.client(2).isCrowded()).isFalse();
    }

    @Test
    void aConnectIsTakenThoughThereIsNoRoomForMoreMessages() {
        TestConnection connection = homes.attach(2, led0);
        noLeader();
        CompletableFuture<List<InsertOutcome>> last = homes.insert(2, "m", 1, connection);
        while (!last.isDone()) {
            last = homes.insert(2, "m", 1, connection);
        }
        assertThat(last.handle((done, failure) -> ((RangeException) failure).reason()))
                .isCompletedWithValue(RangeException.Cause.OVERLOADED);
        CompletableFuture<AttachReply> attach = homes.client(2)
                .attach(new AttachRequest(InboxFixture.info(led0), false, 60, null), new TestConnection());
        homes.run();
        assertThat(attach).isNotDone();
        homes.host.elect(1);
        assertThat(homes.await(attach).sessionPresent()).isTrue();
    }

    @Test
    void aHomeWhoseDiskStandsStillRefusesNothing() {
        TestConnection connection = homes.attach(2, led0);
        connection.attachment().request(1000);
        homes.host.holdCommits();
        List<CompletableFuture<List<InsertOutcome>>> answers = new ArrayList<>();
        while (!homes.client(2).isCrowded()) {
            answers.add(homes.insert(2, "m" + answers.size(), 1, connection));
            homes.run();
            assertThat(answers).hasSizeLessThan((SERVED_BYTES + WAITING_BYTES) / 256);
        }
        homes.advance(3_000);
        assertThat(answers).hasSizeGreaterThan(SERVED_BYTES / 1024).noneMatch(CompletableFuture::isDone);

        homes.host.releaseCommits();
        answers.forEach(answer -> assertThat(homes.await(answer)).containsExactly(InsertOutcome.STORED));
        homes.run();
        assertThat(connection.payloads())
                .containsExactlyElementsOf(IntStream.range(0, answers.size())
                        .mapToObj(number -> "m" + number)
                        .toList());
    }

    private void noLeader() {
        homes.net.kill(InMemoryNode.id(0));
        homes.host.killNode(0, 0);
        homes.run();
    }
}

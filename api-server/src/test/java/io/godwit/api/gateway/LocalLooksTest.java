package io.godwit.api.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.api.http.ProblemException;
import io.godwit.api.http.Workers;
import io.godwit.api.port.access.LocalCallers.Ends;
import io.godwit.api.port.access.LocalCallers.Peer;
import io.godwit.testing.Await;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LocalLooksTest {
    private static final InetSocketAddress HERE = new InetSocketAddress(InetAddress.getLoopbackAddress(), 8_091);

    private final CountDownLatch held = new CountDownLatch(1);
    private final List<Integer> looks = new CopyOnWriteArrayList<>();

    private static Ends connection(int port) {
        return new Ends(HERE, new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    }

    /** Even ports are ours. */
    private List<Peer> look(List<Ends> connections) {
        looks.add(connections.size());
        try {
            assertThat(held.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return connections.stream()
                .map(each -> each.there().getPort() % 2 == 0 ? Peer.TRUSTED : Peer.ANOTHER_USER)
                .toList();
    }

    @Test
    void oneLookAnswersForAllThatWait() throws Exception {
        try (Workers workers = new Workers()) {
            LocalLooks asked = new LocalLooks(this::look, workers);
            List<CompletableFuture<Peer>> answers = new ArrayList<>();
            for (int i = 0; i < LocalLooks.MOST_WAITING; i++) {
                answers.add(asked.ask(connection(i)));
            }
            held.countDown();
            for (int i = 0; i < answers.size(); i++) {
                assertThat(answers.get(i).get(60, TimeUnit.SECONDS))
                        .isEqualTo(i % 2 == 0 ? Peer.TRUSTED : Peer.ANOTHER_USER);
            }
            assertThat(looks).hasSizeLessThanOrEqualTo(2);
            assertThat(asked.ask(connection(2)).get(60, TimeUnit.SECONDS)).isEqualTo(Peer.TRUSTED);
        }
    }

    @Test
    void aLookThatHangsIsWaitedForByABoundedNumber() throws Exception {
        try (Workers workers = new Workers()) {
            LocalLooks asked = new LocalLooks(this::look, workers);
            CompletableFuture<Peer> first = asked.ask(connection(2));
            Await.until("it looks", () -> looks.size() == 1);
            List<CompletableFuture<Peer>> others = new ArrayList<>();
            for (int i = 0; i < LocalLooks.MOST_WAITING; i++) {
                others.add(asked.ask(connection(i)));
            }
            assertThat(asked.ask(connection(2))).isCompletedExceptionally();
            assertThat(others).noneMatch(CompletableFuture::isDone);
            held.countDown();
            assertThat(first.get(60, TimeUnit.SECONDS)).isEqualTo(Peer.TRUSTED);
            assertThat(others.get(0).get(60, TimeUnit.SECONDS)).isEqualTo(Peer.TRUSTED);
            assertThat(asked.ask(connection(2)).get(60, TimeUnit.SECONDS))
                    .as("the places of those that waited are free again")
                    .isEqualTo(Peer.TRUSTED);
        }
    }

    /** It is a connection that closes while it is looked for. */
    @Test
    void aCallerThatLeavesTakesNoAnswerFromOthers() throws Exception {
        try (Workers workers = new Workers()) {
            LocalLooks asked = new LocalLooks(this::look, workers);
            CompletableFuture<Peer> first = asked.ask(connection(2));
            Await.until("it looks", () -> looks.size() == 1);
            CompletableFuture<Peer> leaves = asked.ask(connection(3));
            CompletableFuture<Peer> stays = asked.ask(connection(4));
            CompletableFuture<Peer> twice = asked.ask(connection(4));
            CompletableFuture<Peer> another = asked.ask(connection(5));
            first.cancel(false);
            leaves.cancel(false);
            held.countDown();
            assertThat(stays.get(60, TimeUnit.SECONDS)).isEqualTo(Peer.TRUSTED);
            assertThat(twice.get(60, TimeUnit.SECONDS)).isEqualTo(Peer.TRUSTED);
            assertThat(another.get(60, TimeUnit.SECONDS)).isEqualTo(Peer.ANOTHER_USER);
            assertThat(looks).containsExactly(1, 4);
        }
    }

    @Test
    void looksAreAMomentApart() throws Exception {
        held.countDown();
        try (Workers workers = new Workers()) {
            long begun = System.nanoTime();
            LocalLooks asked = new LocalLooks(this::look, workers);
            for (int i = 0; i < 4; i++) {
                assertThat(asked.ask(connection(2)).get(60, TimeUnit.SECONDS)).isEqualTo(Peer.TRUSTED);
            }
            assertThat(looks).hasSize(4);
            assertThat(System.nanoTime() - begun).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(3 * 50));
        }
    }

    @Test
    void withoutAWorkerAllThatWaitAreTold() {
        Workers workers = new Workers();
        workers.close();
        LocalLooks asked = new LocalLooks(this::look, workers);
        for (int i = 0; i < 3; i++) {
            CompletableFuture<Peer> answer = asked.ask(connection(2));
            Await.until("it is told", answer::isDone);
            assertThatThrownBy(answer::get).hasCauseInstanceOf(ProblemException.class);
        }
        assertThat(looks).isEmpty();
    }

    @Test
    void aLookThatFailsIsToldAndTheNextOneIsMade() throws Exception {
        try (Workers workers = new Workers()) {
            List<Integer> failures = new CopyOnWriteArrayList<>(List.of(1));
            LocalLooks asked = new LocalLooks(
                    connections -> {
                        if (!failures.isEmpty()) {
                            failures.clear();
                            throw new IllegalStateException("no table");
                        }
                        return look(connections);
                    },
                    workers);
            CompletableFuture<Peer> first = asked.ask(connection(2));
            assertThatThrownBy(() -> first.get(60, TimeUnit.SECONDS)).hasMessageContaining("no table");
            held.countDown();
            assertThat(asked.ask(connection(2)).get(60, TimeUnit.SECONDS)).isEqualTo(Peer.TRUSTED);
        }
    }

    /** All that wait for a look share its failure, and the next look still begins. */
    @Test
    void anErrorOfALookIsToldToAllThatWaitForIt() throws Exception {
        try (Workers workers = new Workers()) {
            List<Error> errors = new CopyOnWriteArrayList<>(List.of(new LinkageError("no table")));
            LocalLooks asked = new LocalLooks(
                    connections -> {
                        List<Peer> found = look(connections);
                        if (connections.size() == 1 || errors.isEmpty()) {
                            return found;
                        }
                        throw errors.remove(0);
                    },
                    workers);
            CompletableFuture<Peer> first = asked.ask(connection(2));
            Await.until("it looks", () -> looks.size() == 1);
            CompletableFuture<Peer> second = asked.ask(connection(2));
            CompletableFuture<Peer> third = asked.ask(connection(3));
            held.countDown();

            assertThat(first.get(60, TimeUnit.SECONDS)).isEqualTo(Peer.TRUSTED);
            assertThatThrownBy(() -> second.get(60, TimeUnit.SECONDS)).hasCauseInstanceOf(LinkageError.class);
            assertThatThrownBy(() -> third.get(60, TimeUnit.SECONDS)).hasCauseInstanceOf(LinkageError.class);
            assertThat(asked.ask(connection(2)).get(60, TimeUnit.SECONDS)).isEqualTo(Peer.TRUSTED);
            assertThat(looks).containsExactly(1, 2, 1);
        }
    }
}

package io.godwit.broker.tenants;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.mqtt.tenant.TenantAnswer;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.tenant.TenantSetting;
import io.godwit.plugin.tenant.TenantSettings;
import io.godwit.testing.Await;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ProvidedTenantsTest {
    private static final TenantId BIRDS = new TenantId("birds");
    private static final TenantId FISH = new TenantId("fish");
    private static final TenantSettings QOS_1 = settings(TenantSetting.MAX_QOS, 1);
    private static final TenantSettings QOS_0 = settings(TenantSetting.MAX_QOS, 0);

    private final Map<TenantId, TenantSettings> said = new ConcurrentHashMap<>();
    private final List<TenantId> asked = Collections.synchronizedList(new ArrayList<>());
    private final List<CompletableFuture<Optional<TenantSettings>>> answers = new CopyOnWriteArrayList<>();
    private final Deque<Runnable> retries = new ArrayDeque<>();
    private final ProvidedTenants tenants = new ProvidedTenants(this::say, retries::add);

    private void say(TenantId tenant, @Nullable TenantSettings settings) {
        if (settings == null) {
            said.remove(tenant);
        } else {
            said.put(tenant, settings);
        }
    }

    private static TenantSettings settings(TenantSetting setting, long value) {
        return TenantSettings.builder().set(setting, value).build();
    }

    /** Asks with answers that the test gives later. */
    private void ask() {
        tenants.ask(tenant -> {
            asked.add(tenant);
            CompletableFuture<Optional<TenantSettings>> answer = new CompletableFuture<>();
            answers.add(answer);
            return answer;
        });
    }

    private void answer(int place, TenantSettings settings) {
        answers.get(place).complete(Optional.of(settings));
    }

    @Test
    void withoutAProviderTheFileIsAllThatIsSaid() {
        assertThat(tenants.known(BIRDS)).isCompletedWithValue(TenantAnswer.KNOWN);
        tenants.ofFile(Map.of(BIRDS, QOS_1));
        assertThat(said).containsExactly(Map.entry(BIRDS, QOS_1));
        tenants.ofFile(Map.of(FISH, QOS_0));
        assertThat(said).containsExactly(Map.entry(FISH, QOS_0));
    }

    @Test
    void aTenantIsAskedAboutOnceAndTheAnswerGoesBeforeTheFile() {
        ask();
        tenants.ofFile(Map.of(BIRDS, settings(TenantSetting.MAX_FILTERS, 7)));
        CompletableFuture<TenantAnswer> first = tenants.known(BIRDS);
        CompletableFuture<TenantAnswer> second = tenants.known(BIRDS);
        assertThat(first).isNotDone();
        assertThat(asked).containsExactly(BIRDS);
        answer(0, QOS_1);
        assertThat(first).isCompletedWithValue(TenantAnswer.KNOWN);
        assertThat(second).isCompletedWithValue(TenantAnswer.KNOWN);
        assertThat(said.get(BIRDS))
                .isEqualTo(TenantSettings.builder()
                        .set(TenantSetting.MAX_QOS, 1)
                        .set(TenantSetting.MAX_FILTERS, 7)
                        .build());
        assertThat(tenants.known(BIRDS)).isCompletedWithValue(TenantAnswer.KNOWN);
        assertThat(asked).hasSize(1);
        tenants.ofFile(Map.of());
        assertThat(said.get(BIRDS)).isEqualTo(QOS_1);
    }

    @Test
    void whileThereIsNoAnswerNobodyIsLetIn() {
        ask();
        CompletableFuture<TenantAnswer> known = tenants.known(BIRDS);
        answers.get(0).completeExceptionally(new IllegalStateException("down"));
        assertThat(known).isCompletedExceptionally();
        CompletableFuture<TenantAnswer> next = tenants.known(BIRDS);
        assertThat(asked).hasSize(2);
        answers.get(1).complete(Optional.empty());
        assertThat(next).isCompletedWithValue(TenantAnswer.NO_TENANT);
        assertThat(said).isEmpty();
    }

    @Test
    void aChangeIsAskedForAndAFailureKeepsWhatWasSaid() {
        ask();
        tenants.changed(BIRDS);
        assertThat(asked).as("no client of the tenant has connected yet").isEmpty();
        tenants.known(BIRDS);
        answer(0, QOS_1);
        tenants.changed(BIRDS);
        answer(1, QOS_0);
        assertThat(said.get(BIRDS)).isEqualTo(QOS_0);
        tenants.changed();
        answers.get(2).completeExceptionally(new IllegalStateException("down"));
        assertThat(said.get(BIRDS)).isEqualTo(QOS_0);
        assertThat(tenants.known(BIRDS)).isCompletedWithValue(TenantAnswer.KNOWN);
    }

    /** The provider has said so once: without another question the old settings would hold for good. */
    @Test
    void aChangeThatWasNotAnsweredIsAskedForAgain() {
        ask();
        tenants.known(BIRDS);
        answer(0, QOS_1);
        tenants.changed(BIRDS);
        answers.get(1).completeExceptionally(new IllegalStateException("too many calls"));
        retries.remove().run();
        answers.get(2).completeExceptionally(new IllegalStateException("too many calls"));
        retries.remove().run();
        answer(3, QOS_0);
        assertThat(said.get(BIRDS)).isEqualTo(QOS_0);
        assertThat(retries).isEmpty();

        tenants.changed(BIRDS);
        answers.get(4).completeExceptionally(new IllegalStateException("closed"));
        tenants.close();
        retries.remove().run();
        assertThat(asked).hasSize(5);
    }

    @Test
    void aChangeWhileItIsAskedForIsAskedForAgain() {
        ask();
        CompletableFuture<TenantAnswer> known = tenants.known(BIRDS);
        tenants.changed(BIRDS);
        tenants.changed(BIRDS);
        answer(0, QOS_1);
        assertThat(known).isCompletedWithValue(TenantAnswer.KNOWN);
        Await.until("it is asked for again", () -> asked.size() == 2);
        answer(1, QOS_0);
        assertThat(said.get(BIRDS)).isEqualTo(QOS_0);
    }

    /** A provider that reports changes in each of its answers would otherwise be called recursively without end. */
    @Test
    void aProviderThatAlwaysSpeaksOfChangesIsAskedAtARate() {
        tenants.ask(tenant -> {
            asked.add(tenant);
            tenants.changed(tenant);
            return CompletableFuture.completedFuture(Optional.of(QOS_1));
        });
        assertThat(tenants.known(BIRDS)).isCompletedWithValue(TenantAnswer.KNOWN);
        assertThat(asked).hasSize(1);
        Await.until("it is asked for again", () -> asked.size() > 1);
    }

    @Test
    void noMoreTenantsAreAskedAboutThanANodeCanHave() {
        tenants.ask(tenant -> CompletableFuture.completedFuture(Optional.of(QOS_1)));
        List<TenantAnswer> all = new ArrayList<>();
        for (int i = 0; i <= ProvidedTenants.MAX_TENANTS; i++) {
            all.add(tenants.known(new TenantId("t" + i)).join());
        }
        assertThat(all.subList(0, ProvidedTenants.MAX_TENANTS)).containsOnly(TenantAnswer.KNOWN);
        assertThat(all.get(ProvidedTenants.MAX_TENANTS)).isEqualTo(TenantAnswer.TOO_MANY);
        assertThat(tenants.known(new TenantId("t0"))).isCompletedWithValue(TenantAnswer.KNOWN);
    }

    /** Otherwise a node that has seen many tenants come and go would let in no new one until its next start. */
    @Test
    void deletedTenantsGiveWay() {
        Set<TenantId> gone = new HashSet<>();
        tenants.ask(tenant ->
                CompletableFuture.completedFuture(gone.contains(tenant) ? Optional.empty() : Optional.of(QOS_1)));
        for (int i = 0; i < ProvidedTenants.MAX_TENANTS; i++) {
            tenants.known(new TenantId("t" + i));
        }
        for (int i = 0; i < 2; i++) {
            gone.add(new TenantId("t" + i));
            tenants.changed(new TenantId("t" + i));
        }
        gone.clear();
        tenants.changed(new TenantId("t0"));
        assertThat(said).as("it is there again").containsEntry(new TenantId("t0"), QOS_1);
        assertThat(tenants.known(BIRDS)).isCompletedWithValue(TenantAnswer.KNOWN);
        assertThat(tenants.known(FISH)).isCompletedWithValue(TenantAnswer.TOO_MANY);
        assertThat(tenants.known(new TenantId("t1"))).isCompletedWithValue(TenantAnswer.TOO_MANY);
    }

    /** While those that are there are asked about again, another one may come. */
    @Test
    void tenantsThatAreAskedAboutAgainCountOnce() {
        int half = ProvidedTenants.MAX_TENANTS / 2;
        tenants.ask(tenant -> asked.size() < half && asked.add(tenant)
                ? CompletableFuture.completedFuture(Optional.of(QOS_1))
                : new CompletableFuture<>());
        for (int i = 0; i < half; i++) {
            tenants.known(new TenantId("t" + i));
        }
        tenants.changed();
        assertThat(tenants.known(BIRDS)).isNotDone();
    }

    @Test
    void aTenantThatIsNoMoreLosesWhatWasSaid() {
        ask();
        tenants.known(BIRDS);
        answer(0, QOS_1);
        tenants.changed(BIRDS);
        answers.get(1).complete(Optional.empty());
        assertThat(said).isEmpty();
        CompletableFuture<TenantAnswer> next = tenants.known(BIRDS);
        answers.get(2).complete(Optional.empty());
        assertThat(next).isCompletedWithValue(TenantAnswer.NO_TENANT);
    }
}

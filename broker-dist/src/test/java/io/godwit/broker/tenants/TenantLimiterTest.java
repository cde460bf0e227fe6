package io.godwit.broker.tenants;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.broker.clients.ClusterNodes;
import io.godwit.mqtt.quota.TenantAccount;
import io.godwit.mqtt.quota.TenantAccounts;
import io.godwit.mqtt.tenant.TenantAnswer;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.throttle.ResourceThrottler;
import io.godwit.plugin.throttle.TenantLimits;
import io.godwit.plugin.throttle.TenantResource;
import io.godwit.plugin.throttle.TenantUsage;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A plugin's limits of tenants, and when it is asked for them. */
class TenantLimiterTest implements ResourceThrottler {
    private static final TenantId BIRDS = new TenantId("birds");

    private final AtomicLong nanos = new AtomicLong();
    private final TenantAccounts accounts = new TenantAccounts(tenant -> unlimited(), nanos::get);
    private final UsageExchange others = new UsageExchange(ClusterNodes.alone("a"), nanos::get);
    private final TenantLimiter limiter = new TenantLimiter(accounts, this, others, nanos::get);

    private final Deque<TenantUsage> told = new ArrayDeque<>();
    private final Deque<CompletableFuture<TenantLimits>> open = new ArrayDeque<>();

    private static long[] unlimited() {
        long[] most = new long[TenantResource.values().length];
        Arrays.fill(most, TenantAccount.ANY);
        return most;
    }

    @Override
    public CompletableFuture<TenantLimits> limits(TenantUsage usage) {
        told.add(usage);
        CompletableFuture<TenantLimits> answer = new CompletableFuture<>();
        open.add(answer);
        return answer;
    }

    @AfterEach
    void end() {
        limiter.close();
        others.close();
    }

    private void answer(TenantResource resource, long most) {
        open.remove().complete(TenantLimits.builder().most(resource, most).build());
    }

    private void second() {
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
        limiter.look();
    }

    @Test
    void firstClientsWaitForTheFirstAnswerAndLaterOnesForNone() {
        CompletableFuture<TenantAnswer> first = limiter.known(BIRDS);
        CompletableFuture<TenantAnswer> second = limiter.known(BIRDS);
        assertThat(first).isNotDone();
        assertThat(told).hasSize(1);
        answer(TenantResource.CONNECTIONS, 1);
        assertThat(first).isCompletedWithValue(TenantAnswer.KNOWN);
        assertThat(second).isCompletedWithValue(TenantAnswer.KNOWN);
        assertThat(accounts.enter(BIRDS)).isNull();
        assertThat(accounts.enter(BIRDS)).isEqualTo(TenantResource.CONNECTIONS);

        second();
        assertThat(limiter.known(BIRDS)).as("while a new answer is requested").isCompletedWithValue(TenantAnswer.KNOWN);
        assertThat(accounts.enter(BIRDS)).as("the last answer stays valid").isEqualTo(TenantResource.CONNECTIONS);
        second();
        assertThat(told).as("only one question is sent at a time").hasSize(2);
        answer(TenantResource.CONNECTIONS, 2);
        assertThat(accounts.enter(BIRDS)).isNull();
        second();
        open.remove().completeExceptionally(new IllegalStateException("broken"));
        assertThat(accounts.enter(BIRDS)).as("the last answer stays valid").isEqualTo(TenantResource.CONNECTIONS);
    }

    @Test
    void itIsAskedInEverySecondRound() {
        limiter.known(BIRDS);
        answer(TenantResource.CONNECTIONS, 1);
        accounts.enter(BIRDS);
        told.clear();
        for (int i = 0; i < 6; i++) {
            nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(500));
            limiter.round();
            if (!open.isEmpty()) {
                answer(TenantResource.CONNECTIONS, 1);
            }
        }
        assertThat(told).hasSize(3);
    }

    @Test
    void withoutAnAnswerNobodyIsLetIn() {
        CompletableFuture<TenantAnswer> first = limiter.known(BIRDS);
        open.remove().completeExceptionally(new IllegalStateException("broken"));
        assertThat(first).isCompletedExceptionally();
        assertThat(limiter.known(BIRDS)).as("the limits are requested again").isNotDone();
        assertThat(told).hasSize(2);
    }

    @Test
    void itIsToldWhatTheTenantUses() {
        limiter.known(BIRDS);
        answer(TenantResource.PUBLISH_RATE, 1_000);
        accounts.enter(BIRDS);
        TenantAccount account = accounts.of(BIRDS);
        second();
        told.clear();
        for (int i = 0; i < 50; i++) {
            account.publishRead();
            account.bytesRead(10);
            account.delivered(3);
            account.delivered(3);
        }
        answer(TenantResource.PUBLISH_RATE, 1_000);
        second();
        TenantUsage usage = told.remove();
        assertThat(usage.tenant()).isEqualTo(BIRDS);
        assertThat(usage.here(TenantResource.CONNECTIONS)).isOne();
        assertThat(usage.here(TenantResource.PUBLISH_RATE)).isEqualTo(50);
        assertThat(usage.here(TenantResource.PUBLISH_BYTES)).isEqualTo(500);
        assertThat(usage.here(TenantResource.DELIVER_RATE)).isEqualTo(100);
        assertThat(usage.here(TenantResource.DELIVER_BYTES)).isEqualTo(300);
        assertThat(usage.inCluster(TenantResource.PUBLISH_RATE)).isEqualTo(50);
        assertThat(usage.here(TenantResource.SESSIONS)).isZero();
    }

    @Test
    void tenantsWithoutClientsAreForgotten() {
        limiter.known(BIRDS);
        answer(TenantResource.CONNECTIONS, 1);
        accounts.enter(BIRDS);
        for (int i = 0; i < 100; i++) {
            second();
            if (!open.isEmpty()) {
                answer(TenantResource.CONNECTIONS, 1);
            }
        }
        accounts.leave(BIRDS);
        for (int i = 0; i < 40; i++) {
            second();
            open.clear();
        }
        assertThat(accounts.all()).isEmpty();
        told.clear();
        second();
        assertThat(told).isEmpty();
    }

    @Test
    void tenantsAreBoundedInNumber() {
        for (int i = 0; i < TenantLimiter.MAX_TENANTS; i++) {
            limiter.known(new TenantId("t" + i));
        }
        assertThat(limiter.known(BIRDS)).isCompletedWithValue(TenantAnswer.TOO_MANY);
        assertThat(told).hasSize(TenantLimiter.MAX_TENANTS);
    }

    /** While those that are there are asked about, as they are every second, another one may come. */
    @Test
    void tenantsThatAreAskedAboutAgainCountOnce() {
        for (int i = 0; i < TenantLimiter.MAX_TENANTS / 2; i++) {
            TenantId tenant = new TenantId("t" + i);
            limiter.known(tenant);
            answer(TenantResource.CONNECTIONS, 1);
            accounts.enter(tenant);
        }
        second();
        assertThat(open).hasSize(TenantLimiter.MAX_TENANTS / 2);
        assertThat(limiter.known(BIRDS)).isNotDone();
    }
}

package io.godwit.mqtt.quota;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.tenant.TenantSetting;
import io.godwit.plugin.throttle.TenantResource;
import io.godwit.plugin.topic.TopicFilter;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The limits of a tenant, and what counts against them. */
class TenantAccountTest implements Holdings {
    private static final TenantId BIRDS = new TenantId("birds");
    private static final TopicFilter PLAIN = TopicFilter.parse("a/b").orElseThrow();
    private static final TopicFilter SHARED = TopicFilter.parse("$share/g/a/b").orElseThrow();
    private static final long ANY = TenantAccount.ANY;

    private final Map<String, Integer> retained = new HashMap<>();
    private long stored;
    private long live;
    private int members;
    private long detached;
    private long delayed;
    private final AtomicLong nanos = new AtomicLong();
    private final Map<TenantResource, Long> limits = new HashMap<>();
    private final TenantAccounts accounts = new TenantAccounts(tenant -> most(), nanos::get);

    TenantAccountTest() {
        accounts.holdings(this);
    }

    private long[] most() {
        long[] most = new long[TenantResource.values().length];
        Arrays.fill(most, ANY);
        limits.forEach((resource, limit) -> most[resource.ordinal()] = limit);
        return most;
    }

    private TenantAccount limited(TenantResource resource, long limit) {
        limits.put(resource, limit);
        accounts.retune(BIRDS);
        return accounts.of(BIRDS);
    }

    @Override
    public long liveSubscriptions(TenantId tenant) {
        return live;
    }

    @Override
    public long storedSubscriptions(TenantId tenant) {
        return stored;
    }

    @Override
    public long delayedMessages(TenantId tenant) {
        return delayed;
    }

    @Override
    public int groupMembers(TenantId tenant, TopicFilter filter) {
        return members;
    }

    @Override
    public long detachedSessions(TenantId tenant) {
        return detached;
    }

    @Override
    public long retainedMessages(TenantId tenant) {
        return retained.size();
    }

    @Override
    public long retainedBytes(TenantId tenant) {
        return retained.values().stream().mapToInt(Integer::intValue).sum();
    }

    @Override
    public long retainedBytes(TenantId tenant, String topic) {
        return retained.getOrDefault(topic, -1);
    }

    @Test
    void clientsAreRefusedBeyondTheLimit() {
        limited(TenantResource.CONNECTIONS, 2);
        assertThat(accounts.enter(BIRDS)).isNull();
        assertThat(accounts.enter(BIRDS)).isNull();
        assertThat(accounts.enter(BIRDS)).isEqualTo(TenantResource.CONNECTIONS);
        limited(TenantResource.CONNECTIONS, 3);
        assertThat(accounts.enter(BIRDS)).isNull();
        assertThat(accounts.enter(BIRDS)).isEqualTo(TenantResource.CONNECTIONS);
        accounts.leave(BIRDS);
        assertThat(accounts.enter(BIRDS)).isNull();
        assertThat(accounts.connections(BIRDS)).isEqualTo(3);
        assertThat(accounts.of(BIRDS).used(TenantResource.CONNECT_RATE))
                .as("connections since the beginning of the second")
                .isEqualTo(4);
    }

    @Test
    void clientsThatComeTooFastDoNotCountAsThere() {
        limited(TenantResource.CONNECT_RATE, 2);
        for (int i = 0; i < 2; i++) {
            assertThat(accounts.enter(BIRDS)).isNull();
            accounts.leave(BIRDS);
        }
        assertThat(accounts.enter(BIRDS)).isEqualTo(TenantResource.CONNECT_RATE);
        assertThat(accounts.connections(BIRDS)).isZero();
        assertThat(accounts.of(BIRDS).takeHeld(TenantResource.CONNECT_RATE)).isTrue();
        assertThat(accounts.of(BIRDS).takeHeld(TenantResource.CONNECT_RATE)).isFalse();
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
        accounts.tick();
        assertThat(accounts.enter(BIRDS)).isNull();
    }

    @Test
    void anAccountIsForgottenSomeTimeAfterItsLastClient() {
        assertThat(accounts.enter(BIRDS)).isNull();
        TenantAccount account = accounts.of(BIRDS);
        nanos.addAndGet(TimeUnit.MINUTES.toNanos(1));
        accounts.tick();
        accounts.leave(BIRDS);
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(2));
        accounts.tick();
        assertThat(accounts.of(BIRDS)).isSameAs(account);
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(2));
        accounts.tick();
        assertThat(accounts.all()).isEmpty();
        assertThat(accounts.peek(BIRDS).used(TenantResource.CONNECTIONS)).isZero();
        assertThat(accounts.all()).as("peek creates no account").isEmpty();
    }

    @Test
    void subscriptionsThatAreUnderWayCount() {
        TenantAccount account = limited(TenantResource.SUBSCRIPTIONS, 3);
        stored = 1;
        assertThat(account.subscribing(PLAIN, ANY)).isNull();
        assertThat(account.subscribing(PLAIN, ANY)).isNull();
        assertThat(account.subscribing(PLAIN, ANY)).isEqualTo(TenantResource.SUBSCRIPTIONS);
        account.subscribed(PLAIN);
        account.subscribed(PLAIN);
        live = 2;
        assertThat(account.subscribing(PLAIN, ANY)).isEqualTo(TenantResource.SUBSCRIPTIONS);
        live = 1;
        assertThat(account.subscribing(SHARED, ANY)).isNull();
        assertThat(account.used(TenantResource.SUBSCRIPTIONS)).isEqualTo(1);
        assertThat(account.usedByAll(TenantResource.SUBSCRIPTIONS)).isEqualTo(1);
    }

    @Test
    void aGroupHasNoMoreMembersThanItMay() {
        TenantAccount account = accounts.of(BIRDS);
        members = 1;
        assertThat(account.subscribing(SHARED, 2)).isNull();
        assertThat(account.subscribing(SHARED, 2)).isEqualTo(TenantResource.SHARED_SUBSCRIPTIONS);
        assertThat(account.subscribing(PLAIN, 2)).isNull();
        account.subscribed(SHARED);
        assertThat(account.subscribing(SHARED, 2))
                .as("a subscription that failed is no longer counted")
                .isNull();
    }

    @Test
    void sessionsThatAreThereMayBeResumedAndNoMoreBegun() {
        TenantAccount account = limited(TenantResource.SESSIONS, 2);
        detached = 1;
        account.sessionCame();
        assertThat(account.hasTooManySessions()).isFalse();
        account.sessionCame();
        assertThat(account.hasTooManySessions()).isTrue();
        account.sessionLeft();
        assertThat(account.hasTooManySessions()).isFalse();
        assertThat(account.used(TenantResource.SESSIONS)).isEqualTo(2);
    }

    @Test
    void retainedMessagesAreReplacedAtTheLimitAndNoneAdded() {
        TenantAccount account = limited(TenantResource.RETAINED_MESSAGES, 2);
        retained.put("a", 10);
        assertThat(account.retaining("b", 10)).isNull();
        assertThat(account.retaining("c", 10))
                .as("the message for b, not yet stored, is counted")
                .isEqualTo(TenantResource.RETAINED_MESSAGES);
        retained.put("b", 10);
        account.retained(10);
        assertThat(account.retaining("c", 10)).isEqualTo(TenantResource.RETAINED_MESSAGES);
        assertThat(account.retaining("a", 500)).isNull();
        account.retained(500);
        retained.remove("b");
        assertThat(account.retaining("c", 10)).isNull();
    }

    @Test
    void delayedMessagesHaveRoomUpToTheLimit() {
        delayed = 1_000;
        assertThat(accounts.of(BIRDS).hasRoomForDelayed()).as("no limit").isTrue();
        TenantAccount account = limited(TenantResource.DELAYED_MESSAGES, 2);
        assertThat(account.hasRoomForDelayed()).isFalse();
        delayed = 1;
        assertThat(account.hasRoomForDelayed()).isTrue();
        assertThat(account.used(TenantResource.DELAYED_MESSAGES)).isOne();
    }

    @Test
    void retainedBytesGrowToTheLimit() {
        TenantAccount account = limited(TenantResource.RETAINED_BYTES, 100);
        retained.put("a", 60);
        assertThat(account.retaining("b", 41)).isEqualTo(TenantResource.RETAINED_BYTES);
        assertThat(account.retaining("b", 40)).isNull();
        retained.put("b", 40);
        account.retained(40);
        assertThat(account.retaining("a", 61)).isEqualTo(TenantResource.RETAINED_BYTES);
        assertThat(account.retaining("a", 60)).isNull();
        account.retained(60);
        assertThat(account.retaining("a", 1))
                .as("a message may become smaller even above the limit")
                .isNull();
    }

    @Test
    void ratesAreCountedWhereSomebodyAsksOrThereIsALimit() {
        TenantAccount account = accounts.of(BIRDS);
        assertThat(account.publishRead()).isZero();
        assertThat(account.used(TenantResource.PUBLISH_RATE)).isZero();
        limited(TenantResource.PUBLISH_RATE, 1);
        assertThat(account.publishRead()).isZero();
        assertThat(account.publishRead()).isPositive();
        assertThat(account.publishesOwedNanos()).isPositive();
        assertThat(account.used(TenantResource.PUBLISH_RATE)).isEqualTo(2);
        assertThat(account.takeHeld(TenantResource.PUBLISH_RATE)).isTrue();
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(3));
        assertThat(account.takeHeld(TenantResource.PUBLISH_RATE)).isFalse();
        limited(TenantResource.PUBLISH_BYTES, 100);
        assertThat(account.bytesRead(150)).isPositive();
        assertThat(account.takeHeld(TenantResource.PUBLISH_BYTES)).isTrue();

        accounts.limitedBy((tenant, most) -> most, true);
        TenantAccount metered = accounts.of(new TenantId("fish"));
        metered.delivered(7);
        metered.bytesRead(9);
        assertThat(metered.used(TenantResource.DELIVER_RATE)).isOne();
        assertThat(metered.used(TenantResource.DELIVER_BYTES)).isEqualTo(7);
        assertThat(metered.used(TenantResource.PUBLISH_BYTES)).isEqualTo(9);
    }

    @Test
    void whatComesWithoutAConnectionIsRefusedBeyondTheRatesOfOne() {
        TenantAccount account = accounts.of(BIRDS);
        assertThat(account.takeDirect(10, 2, 0)).isNull();
        assertThat(account.takeDirect(10, 2, 0)).isNull();
        assertThat(account.takeDirect(10, 2, 0)).isEqualTo(TenantSetting.MAX_PUBLISH_RATE);
        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(500));
        assertThat(account.takeDirect(10, 2, 0)).isNull();
        assertThat(account.takeDirect(10, 0, 0)).as("the limit was removed").isNull();

        assertThat(account.takeDirect(300, 0, 100))
                .as("a large amount is taken as a whole and paid off later")
                .isNull();
        assertThat(account.takeDirect(1, 0, 100)).isEqualTo(TenantSetting.MAX_BANDWIDTH_IN);
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(2));
        assertThat(account.takeDirect(1, 0, 100)).isNull();
    }

    @Test
    void whatComesWithoutAConnectionSharesTheRatesOfTheTenant() {
        TenantAccount account = limited(TenantResource.PUBLISH_RATE, 2);
        account.publishRead();
        assertThat(account.takeDirect(10, 0, 0)).isNull();
        assertThat(account.takeHeld(TenantResource.PUBLISH_RATE)).isFalse();
        assertThat(account.takeDirect(10, 0, 0)).isEqualTo(TenantSetting.MAX_TENANT_PUBLISH_RATE);
        assertThat(account.takeHeld(TenantResource.PUBLISH_RATE)).isTrue();
        assertThat(account.used(TenantResource.PUBLISH_RATE)).isEqualTo(2);

        limits.clear();
        account = limited(TenantResource.PUBLISH_BYTES, 100);
        account.bytesRead(300);
        assertThat(account.takeDirect(1, 0, 0)).isEqualTo(TenantSetting.MAX_TENANT_BANDWIDTH_IN);
        assertThat(account.used(TenantResource.PUBLISH_BYTES)).isEqualTo(300);
    }

    @Test
    void whatIsRefusedWithoutAConnectionMayGoAfterTheWait() {
        TenantAccount account = limited(TenantResource.PUBLISH_RATE, 2);
        account.publishRead();
        account.publishRead();
        account.publishRead(); // owes half a second, and another one needs half a second more
        waits(account, 0, 0, TenantSetting.MAX_TENANT_PUBLISH_RATE, 1_000);

        limits.clear();
        account = limited(TenantResource.PUBLISH_BYTES, 100);
        account.bytesRead(850);
        waits(account, 0, 0, TenantSetting.MAX_TENANT_BANDWIDTH_IN, 7_500);

        limits.clear();
        accounts.retune(BIRDS);
        assertThat(account.takeDirect(1, 4, 0)).isNull();
        for (int i = 0; i < 3; i++) {
            assertThat(account.takeDirect(1, 4, 0)).isNull();
        }
        waits(account, 4, 0, TenantSetting.MAX_PUBLISH_RATE, 250);
        assertThat(account.takeDirect(300, 0, 100)).isNull();
        waits(account, 0, 100, TenantSetting.MAX_BANDWIDTH_IN, 2_000);
    }

    private void waits(
            TenantAccount account, long mostPublishes, long mostBytes, TenantSetting exhausted, long millis) {
        assertThat(account.takeDirect(1, mostPublishes, mostBytes)).isEqualTo(exhausted);
        long wait = account.directWaitNanos(exhausted);
        assertThat(wait).isEqualTo(TimeUnit.MILLISECONDS.toNanos(millis));
        nanos.addAndGet(wait - 1);
        assertThat(account.takeDirect(1, mostPublishes, mostBytes)).isEqualTo(exhausted);
        nanos.incrementAndGet();
        assertThat(account.takeDirect(1, mostPublishes, mostBytes)).isNull();
    }

    @Test
    void whatClientsAreSentIsOwedByAllOfThem() {
        TenantAccount account = limited(TenantResource.DELIVER_RATE, 2);
        assertThat(account.limitsDeliveries()).isTrue();
        account.delivered(1_000);
        account.delivered(1_000);
        assertThat(account.deliveriesOwedNanos()).isZero();
        account.delivered(1_000);
        assertThat(account.deliveriesOwedNanos()).isEqualTo(TimeUnit.MILLISECONDS.toNanos(500));
        assertThat(account.used(TenantResource.DELIVER_RATE)).isEqualTo(3);
        assertThat(account.takeHeld(TenantResource.DELIVER_RATE)).isTrue();
        assertThat(account.takeHeld(TenantResource.DELIVER_BYTES)).isFalse();
        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(500));
        assertThat(account.deliveriesOwedNanos()).isZero();
        assertThat(account.takeHeld(TenantResource.DELIVER_RATE)).isFalse();

        limits.clear();
        limited(TenantResource.DELIVER_BYTES, 100);
        account.delivered(150);
        assertThat(account.deliveriesOwedNanos()).isEqualTo(TimeUnit.MILLISECONDS.toNanos(500));
        assertThat(account.takeHeld(TenantResource.DELIVER_BYTES)).isTrue();
        limits.clear();
        accounts.retune(BIRDS);
        assertThat(account.limitsDeliveries()).isFalse();
        assertThat(account.deliveriesOwedNanos()).isZero();
    }
}

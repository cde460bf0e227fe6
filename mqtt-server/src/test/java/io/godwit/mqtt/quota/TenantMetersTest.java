package io.godwit.mqtt.quota;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.throttle.TenantResource;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Few tenants have series of their own, and none that a client made up. */
class TenantMetersTest implements Holdings {
    private static final TenantId BIRDS = new TenantId("birds");
    private static final TenantId FISH = new TenantId("fish");
    private static final TenantId BEES = new TenantId("bees");

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final AtomicLong nanos = new AtomicLong();
    private final TenantAccounts accounts = new TenantAccounts(tenant -> noLimits(), nanos::get);
    private final Set<TenantId> named = new HashSet<>(Set.of(TenantId.DEFAULT, BIRDS, FISH));
    private final Set<TenantId> told = new HashSet<>();
    private final Map<TenantId, Long> detached = new HashMap<>();

    private static long[] noLimits() {
        long[] most = new long[TenantResource.values().length];
        Arrays.fill(most, TenantAccount.ANY);
        return most;
    }

    @Override
    public long detachedSessions(TenantId tenant) {
        return detached.getOrDefault(tenant, 0L);
    }

    @Override
    public long detachedSessions() {
        return detached.values().stream().mapToLong(Long::longValue).sum();
    }

    private TenantMeters meters(int most) {
        TenantMeters meters = new TenantMeters(most, named::contains, told::contains, accounts, this, registry);
        accounts.countedBy(meters);
        return meters;
    }

    private Set<String> tenants() {
        return registry.getMeters().stream()
                .map(meter -> Objects.requireNonNull(meter.getId().getTag("tenant")))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private double value(String name, String tenant) {
        Meter meter =
                registry.get("godwit.tenant." + name).tag("tenant", tenant).meter();
        return meter.measure().iterator().next().getValue();
    }

    private TenantAccount connect(TenantId tenant) {
        assertThat(accounts.enter(tenant)).isNull();
        return accounts.of(tenant);
    }

    @Test
    void eachTenantHasItsSeriesAsFarAsThereAreAny() {
        meters(2);
        assertThat(tenants()).containsExactly("(other)", "default");
        for (TenantId each : new TenantId[] {BEES, BIRDS, FISH}) { // bees: a client made that up
            TenantAccount account = connect(each);
            account.publishRead();
            account.bytesRead(10);
            account.delivered(5);
            account.bytesWritten(20);
            account.dropped();
            account.throttled();
        }
        accounts.tick();
        assertThat(tenants()).containsExactly("(other)", "birds", "default");
        assertThat(registry.getMeters()).hasSize(3 * 8);
        for (String name : new String[] {"publishes.in", "publishes.out", "messages.dropped", "throttlings"}) {
            assertThat(value(name, "birds")).as(name).isEqualTo(1);
            assertThat(value(name, "(other)")).as(name).isEqualTo(2);
            assertThat(value(name, "default")).as(name).isZero();
        }
        assertThat(value("received.bytes", "birds")).isEqualTo(10);
        assertThat(value("sent.bytes", "(other)")).isEqualTo(40);
        assertThat(value("connections", "birds")).isEqualTo(1);
        assertThat(value("connections", "(other)")).isEqualTo(2);
    }

    @Test
    void countsOutliveTheClientsOfTheirTenant() {
        meters(2);
        connect(BIRDS).publishRead();
        accounts.leave(BIRDS);
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(10));
        accounts.tick();
        assertThat(accounts.all()).isEmpty();
        assertThat(value("publishes.in", "birds")).isEqualTo(1);
        assertThat(value("connections", "birds")).isZero();
        connect(BIRDS).publishRead();
        assertThat(value("publishes.in", "birds")).isEqualTo(2);
    }

    @Test
    void sessionsAreThoseThatAreConnectedAndThoseThatAreStored() {
        meters(2);
        connect(BIRDS).sessionCame();
        connect(FISH).sessionCame();
        accounts.tick();
        detached.put(BIRDS, 3L);
        detached.put(BEES, 4L);
        assertThat(value("sessions", "birds")).isEqualTo(4);
        assertThat(value("sessions", "(other)")).isEqualTo(5);
    }

    @Test
    void whatStoredSessionsDoNotGetIsCountedWithoutAClient() {
        TenantMeters meters = meters(2);
        meters.dropped(BIRDS);
        meters.dropped(BEES);
        meters.tick();
        assertThat(value("messages.dropped", "birds")).isEqualTo(1);
        assertThat(value("messages.dropped", "(other)")).isEqualTo(1);
    }

    @Test
    void oneThatIsNamedLaterGetsItsSeriesThen() {
        meters(3);
        TenantAccount account = connect(BEES);
        account.publishRead();
        named.add(BEES);
        accounts.tick();
        account.publishRead();
        assertThat(value("publishes.in", "bees")).isEqualTo(1);
        assertThat(value("publishes.in", "(other)")).isEqualTo(1);
    }

    @Test
    void withoutMetersOnlyThoseAreCountedThatAreToldTheirCounts() {
        told.add(BIRDS);
        TenantMeters meters = meters(0);
        connect(BIRDS).publishRead();
        connect(FISH).publishRead();
        accounts.tick();
        assertThat(registry.getMeters()).isEmpty();
        assertThat(meters.of(FISH)).isNull();
        assertThat(meters.alone(FISH)).isNull();
        assertThat(Objects.requireNonNull(meters.of(BIRDS)).sum(TenantCount.PUBLISHES_IN))
                .isEqualTo(1);
    }

    @Test
    void oneThatIsToldAndHasNoPlaceIsOneOfTheOthersInTheMeters() {
        told.add(BIRDS);
        TenantMeters meters = meters(1);
        connect(BIRDS).publishRead();
        connect(FISH).publishRead();
        accounts.tick();
        assertThat(tenants()).containsExactly("(other)", "default");
        assertThat(value("publishes.in", "(other)")).isEqualTo(2);
        assertThat(meters.alone(FISH))
                .as("a tenant in the series (other) does not see the sum")
                .isNull();
        assertThat(Objects.requireNonNull(meters.of(BIRDS)).sum(TenantCount.PUBLISHES_IN))
                .isEqualTo(1);
    }
}

package io.godwit.broker.plugin.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.broker.plugin.PluginStage;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.PluginFault;
import io.godwit.plugin.throttle.ResourceThrottler;
import io.godwit.plugin.throttle.ResourceThrottlerFactory;
import io.godwit.plugin.throttle.TenantLimits;
import io.godwit.plugin.throttle.TenantResource;
import io.godwit.plugin.throttle.TenantUsage;
import io.godwit.testing.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whatever a throttler does, there is an answer in time or a failure that names it. */
@Timeout(60)
class GuardedThrottlerTest {
    private static final TenantUsage USAGE = new TenantUsage(new TenantId("birds"), Map.of(), Map.of());
    private static final TenantLimits FEW =
            TenantLimits.builder().most(TenantResource.CONNECTIONS, 1).build();

    @TempDir
    Path directory;

    private PluginStage stage;
    private final CompletableFuture<Boolean> end = new CompletableFuture<>();

    @BeforeEach
    void open() {
        stage = new PluginStage(directory, Map.of());
        stage.host().authTimeout(Duration.ofMillis(300));
    }

    @AfterEach
    void close() {
        end.complete(true);
        stage.close();
    }

    private record Factory(@Nullable ResourceThrottler throttler) implements ResourceThrottlerFactory {
        @Override
        public String name() {
            return "acme";
        }

        @Override
        @SuppressWarnings("NullAway") // as a plugin may
        public ResourceThrottler create() {
            return throttler;
        }
    }

    private ResourceThrottler guarded(@Nullable ResourceThrottler throttler) throws Exception {
        return stage.host()
                .adopt(
                        ResourceThrottlerFactory.class,
                        "resource-throttler",
                        "acme",
                        new Factory(throttler),
                        stage.home())
                .create();
    }

    private void fails(ResourceThrottler throttler, PluginFault fault) throws Exception {
        CompletableFuture<TenantLimits> answer = guarded(throttler).limits(USAGE);
        assertThatThrownBy(() -> answer.get(30, TimeUnit.SECONDS)).isNotNull();
        Await.until("it is named", () -> stage.hasTold(fault));
    }

    @Test
    void itsAnswerIsHandedOn() throws Exception {
        AtomicBoolean isClosed = new AtomicBoolean();
        ResourceThrottler guarded = guarded(new ResourceThrottler() {
            @Override
            public CompletableFuture<TenantLimits> limits(TenantUsage usage) {
                assertThat(Thread.currentThread().getName()).startsWith("plugin-acme-call-");
                return CompletableFuture.completedFuture(FEW);
            }

            @Override
            public void close() {
                isClosed.set(true);
            }
        });
        assertThat(guarded.limits(USAGE).get(30, TimeUnit.SECONDS)).isEqualTo(FEW);
        guarded.close();
        assertThat(isClosed).isTrue();
        assertThat(stage.events).isEmpty();
    }

    @Test
    void whatItThrowsIsAFailure() throws Exception {
        fails(
                usage -> {
                    throw new IllegalStateException("broken");
                },
                PluginFault.THREW);
    }

    @Test
    void aLimitThatThereIsNotIsAFailure() throws Exception {
        fails(
                usage -> CompletableFuture.completedFuture(TenantLimits.builder()
                        .most(TenantResource.DELIVER_RATE, -1)
                        .build()),
                PluginFault.THREW);
    }

    @Test
    void nullIsAFailure() throws Exception {
        fails(usage -> null, PluginFault.NULL_ANSWER);
    }

    @Test
    void oneThatBlocksKeepsNobodyWaiting() throws Exception {
        ResourceThrottler throttler = guarded(usage -> {
            end.join();
            return new CompletableFuture<>();
        });
        for (int i = 0; i < 8; i++) {
            CompletableFuture<TenantLimits> answer = throttler.limits(USAGE);
            assertThatThrownBy(() -> answer.get(30, TimeUnit.SECONDS)).isNotNull();
        }
        Await.until("it is named", () -> stage.hasTold(PluginFault.NO_ANSWER));
    }

    @Test
    @SuppressWarnings({"unchecked", "rawtypes"}) // as a plugin may
    void anAnswerOfAnotherTypeIsAFailure() throws Exception {
        CompletableFuture raw = CompletableFuture.completedFuture("unlimited");
        CompletableFuture<TenantLimits> answer = guarded(usage -> raw).limits(USAGE);
        assertThatThrownBy(() -> answer.get(30, TimeUnit.SECONDS)).hasCauseInstanceOf(ClassCastException.class);
    }

    @Test
    void aMissingThrottlerEndsTheStart() {
        assertThatThrownBy(() -> guarded(null)).hasMessageContaining("null instead of a throttler");
    }
}

package io.godwit.broker.plugin.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.broker.plugin.PluginStage;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.PluginFault;
import io.godwit.plugin.tenant.TenantChanges;
import io.godwit.plugin.tenant.TenantSetting;
import io.godwit.plugin.tenant.TenantSettings;
import io.godwit.plugin.tenant.TenantSettingsProvider;
import io.godwit.plugin.tenant.TenantSettingsProviderFactory;
import io.godwit.testing.Await;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whatever a provider of settings does, there is an answer in time or a failure that names it. */
@Timeout(60)
class GuardedTenantSettingsTest {
    private static final TenantId BIRDS = new TenantId("birds");
    private static final TenantSettings QOS_1 =
            TenantSettings.builder().set(TenantSetting.MAX_QOS, 1).build();
    private static final TenantChanges NO_CHANGES = new TenantChanges() {
        @Override
        public void changed(TenantId tenant) {}

        @Override
        public void changed() {}
    };

    @TempDir
    Path directory;

    private PluginStage stage;

    @BeforeEach
    void open() {
        stage = new PluginStage(directory, Map.of());
    }

    @AfterEach
    void close() {
        stage.close();
    }

    private record Factory(TenantSettingsProvider provider) implements TenantSettingsProviderFactory {
        @Override
        public String name() {
            return "acme";
        }

        @Override
        public TenantSettingsProvider create(TenantChanges changes) {
            return provider;
        }
    }

    private TenantSettingsProvider guarded(TenantSettingsProvider provider) throws Exception {
        return stage.host()
                .adopt(
                        TenantSettingsProviderFactory.class,
                        "tenant-settings-provider",
                        "acme",
                        new Factory(provider),
                        stage.home())
                .create(NO_CHANGES);
    }

    private void fails(TenantSettingsProvider provider, PluginFault fault) throws Exception {
        CompletableFuture<Optional<TenantSettings>> answer = guarded(provider).settings(BIRDS);
        assertThatThrownBy(() -> answer.get(30, TimeUnit.SECONDS)).isNotNull();
        Await.until("it is named", () -> stage.hasTold(fault));
    }

    @Test
    void itsAnswerIsHandedOn() throws Exception {
        AtomicBoolean isClosed = new AtomicBoolean();
        TenantSettingsProvider guarded = guarded(new TenantSettingsProvider() {
            @Override
            public CompletableFuture<Optional<TenantSettings>> settings(TenantId tenant) {
                return CompletableFuture.completedFuture(Optional.of(QOS_1));
            }

            @Override
            public void close() {
                isClosed.set(true);
            }
        });
        assertThat(guarded.settings(BIRDS).get(30, TimeUnit.SECONDS)).contains(QOS_1);
        guarded.close();
        assertThat(isClosed).isTrue();
    }

    @Test
    void whatItThrowsIsAFailure() throws Exception {
        fails(
                tenant -> {
                    throw new IllegalStateException("broken");
                },
                PluginFault.THREW);
    }

    @Test
    void nullIsAFailure() throws Exception {
        fails(tenant -> null, PluginFault.NULL_ANSWER);
    }

    @Test
    void noAnswerIsAFailure() throws Exception {
        fails(tenant -> new CompletableFuture<>(), PluginFault.NO_ANSWER);
    }

    @Test
    @SuppressWarnings({"unchecked", "rawtypes"}) // as a plugin may
    void anAnswerOfAnotherTypeIsAFailure() throws Exception {
        CompletableFuture raw = CompletableFuture.completedFuture(Optional.of("maxQos: 1"));
        CompletableFuture<Optional<TenantSettings>> answer =
                guarded(tenant -> raw).settings(BIRDS);
        assertThatThrownBy(() -> answer.get(30, TimeUnit.SECONDS)).hasCauseInstanceOf(ClassCastException.class);
    }
}

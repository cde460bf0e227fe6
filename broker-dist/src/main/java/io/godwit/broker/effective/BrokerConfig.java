package io.godwit.broker.effective;

import io.godwit.broker.config.Effective;
import io.godwit.broker.config.Loaded;
import io.godwit.broker.config.key.OpenSection;
import io.godwit.broker.settings.ApiSection;
import io.godwit.broker.settings.AuthSection;
import io.godwit.broker.settings.BanSection;
import io.godwit.broker.settings.FileConfig;
import io.godwit.broker.settings.MemorySection;
import io.godwit.broker.settings.OtlpSection;
import io.godwit.broker.settings.PluginSection;
import io.godwit.broker.settings.SessionSection;
import io.godwit.broker.settings.SubBrokerSection;
import io.godwit.broker.settings.SystemProperties;
import io.godwit.broker.settings.TopicSection;
import io.godwit.broker.settings.cluster.ClusterSection;
import io.godwit.broker.settings.cluster.RedirectSection;
import io.godwit.broker.settings.listener.MqttServerSection;
import io.godwit.broker.settings.store.StoreSection;
import io.godwit.broker.settings.tenant.TenantSection;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The effective configuration: every key with its value, and the listeners. Immutable. */
public final class BrokerConfig {
    private final Loaded<FileConfig, SystemProperties> loaded;
    private final List<ListenerSection> listeners;
    private final Path directory;

    /** @param directory that contains the configuration file; relative file names start from it */
    public BrokerConfig(Loaded<FileConfig, SystemProperties> loaded, Path directory) {
        this.loaded = loaded;
        this.listeners = ListenerSection.of(loaded.file().mqttServerConfig());
        this.directory = directory;
    }

    public boolean bootstrap() {
        return loaded.file().bootstrap();
    }

    public MqttServerSection mqtt() {
        return loaded.file().mqttServerConfig();
    }

    public SessionSection sessions() {
        return loaded.file().sessionConfig();
    }

    BanSection bans() {
        return loaded.file().banConfig();
    }

    MemorySection memory() {
        return loaded.file().memoryConfig();
    }

    public AuthSection auth() {
        return loaded.file().authConfig();
    }

    public TopicSection topics() {
        return loaded.file().topicConfig();
    }

    public TenantSection tenants() {
        return loaded.file().tenantConfig();
    }

    public ClusterSection cluster() {
        return loaded.file().clusterConfig();
    }

    public RedirectSection redirects() {
        return loaded.file().redirectConfig();
    }

    public SubBrokerSection subBrokers() {
        return loaded.file().subBrokerConfig();
    }

    StoreSection stores() {
        return loaded.file().storeConfig();
    }

    public ApiSection api() {
        return loaded.file().apiServerConfig();
    }

    OtlpSection otlp() {
        return loaded.file().otlpConfig();
    }

    /** The section that names the plugins in use. */
    PluginSection usedPlugins() {
        return loaded.file().pluginConfig();
    }

    /** The sections of the file for plugins, by plugin name. */
    public Map<String, OpenSection> plugins() {
        return loaded.file().plugins();
    }

    public SystemProperties properties() {
        return loaded.properties();
    }

    /** Whether the key or system property was set explicitly, even to its default. */
    boolean isGiven(String path) {
        return loaded.effective().stream()
                .anyMatch(each -> each.path().equals(path) && !each.origin().isEmpty());
    }

    /** The path of a file that the configuration names; null for an empty name. */
    @Nullable
    public Path file(String name) {
        return name.isEmpty() ? null : directory.resolve(name).normalize();
    }

    /** The directory that relative file names start from. */
    public Path directory() {
        return directory;
    }

    /** The listeners, including those that are switched off. */
    public List<ListenerSection> listeners() {
        return listeners;
    }

    /** Every key with its value and origin, in the order of the file; system properties last. */
    public List<Effective> effective() {
        return loaded.effective();
    }

    /**
     * The keys whose value is not the default. For a listener that is switched off, only the {@code enable} key, and
     * only if it is on by default.
     */
    public List<Effective> changes() {
        return loaded.effective().stream()
                .filter(each -> !each.isDefault() && isInForce(each))
                .toList();
    }

    /** Whether a section of a listener sets anything but defaults, apart from {@code enable}. */
    boolean isFilledIn(ListenerSection section) {
        return loaded.effective().stream()
                .anyMatch(each -> each.path().startsWith(section.path() + ".")
                        && !each.path().equals(section.path() + ".enable")
                        && !each.isDefault());
    }

    private boolean isInForce(Effective key) {
        return listeners.stream()
                .filter(section -> key.path().startsWith(section.path() + "."))
                .allMatch(section -> section.isEnabled()
                        || section.kind() == ListenerKind.TCP && key.path().equals(section.path() + ".enable"));
    }
}

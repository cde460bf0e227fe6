package io.godwit.broker.check;

import io.godwit.broker.config.ConfigException;
import io.godwit.broker.config.ConfigSources;
import io.godwit.broker.config.Loaded;
import io.godwit.broker.conversion.BifromqKeys;
import io.godwit.broker.effective.AuthProviders;
import io.godwit.broker.effective.BrokerConfig;
import io.godwit.broker.effective.ClusterSettings;
import io.godwit.broker.effective.OtlpSettings;
import io.godwit.broker.effective.SubBrokerSettings;
import io.godwit.broker.effective.TenantsOf;
import io.godwit.broker.settings.FileConfig;
import io.godwit.broker.settings.SystemProperties;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Reads the configuration file, the environment and the system properties. All errors are found in one pass. */
public final class ConfigLoader {
    /** Variables that {@code bin/standalone.sh} reads, and the last one {@code bin/godwit-admin}. */
    private static final Set<String> OF_THE_SCRIPTS =
            Set.of("GODWIT_CACHE", "GODWIT_TRAINING", "GODWIT_START_TIMEOUT_SECONDS", "GODWIT_TOKEN");

    private static final ConfigSources<FileConfig, SystemProperties> SOURCES = new ConfigSources<>(
            FileConfig.class, SystemProperties.class, SystemProperties.PREFIXES, OF_THE_SCRIPTS, BifromqKeys::answer);

    private ConfigLoader() {}

    /** Loads without environment variables. */
    public static BrokerConfig load(Path file, Map<String, String> properties) throws ConfigException {
        return load(file, properties, Map.of());
    }

    /**
     * @param properties the JVM's system properties; those without one of our prefixes are ignored
     * @param environment variables that begin with {@code GODWIT_}, and those that the file refers to
     */
    public static BrokerConfig load(Path file, Map<String, String> properties, Map<String, String> environment)
            throws ConfigException {
        Loaded<FileConfig, SystemProperties> loaded = SOURCES.load(file, properties, environment);
        BrokerConfig config = new BrokerConfig(loaded, file.toAbsolutePath().resolveSibling(""));
        List<String> errors = new ArrayList<>(loaded.errors());
        errors.addAll(ListenerCheck.errors(config, loaded.isFlawed()));
        errors.addAll(AuthProviders.errors(config));
        errors.addAll(ClusterSettings.errors(config));
        errors.addAll(OtlpSettings.errors(config));
        errors.addAll(SubBrokerSettings.errors(config));
        errors.addAll(TenantsOf.errors(config));
        if (!errors.isEmpty()) {
            throw new ConfigException(errors);
        }
        return config;
    }
}

package org.example.tenants;

import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.context.Plugin;
import io.godwit.plugin.context.PluginContext;
import io.godwit.plugin.context.PluginHealth;
import io.godwit.plugin.tenant.TenantChanges;
import io.godwit.plugin.tenant.TenantSetting;
import io.godwit.plugin.tenant.TenantSettings;
import io.godwit.plugin.tenant.TenantSettingsProvider;
import io.godwit.plugin.tenant.TenantSettingsProviderFactory;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Settings of tenants from a properties file, which is read again when it changes. */
public final class TenantProperties implements TenantSettingsProviderFactory, Plugin {
    private static final int MAX_BYTES = 1 << 20;

    /** What a tenant is that the file does not name. */
    private enum Unlisted {
        /** It has the settings of the node. */
        ACCEPT,
        /** There is no such tenant. */
        REFUSE
    }

    private Path file;
    private Unlisted unlisted;
    private System.Logger logger;
    /** What is wrong with the file; empty when nothing is. Written by the watcher. */
    private volatile String mistake = "";

    @Override
    public String name() {
        return "tenant-properties";
    }

    @Override
    public void create(PluginContext context) {
        file = context.settings().file("file", "tenants.properties");
        unlisted = context.settings().choice("unlisted", Unlisted.ACCEPT);
        logger = context.logger();
    }

    /** It answers from memory. */
    @Override
    public boolean isNonBlocking() {
        return true;
    }

    @Override
    public PluginHealth health() {
        String present = mistake;
        return present.isEmpty() ? PluginHealth.UP : PluginHealth.down(present);
    }

    /** A file that cannot be read ends the start: else all tenants would do without their limits. */
    @Override
    public TenantSettingsProvider create(TenantChanges changes) throws IOException {
        return new Watched(changes);
    }

    /** @throws IOException also for a mistake in the file, which it names */
    private static Map<String, TenantSettings> parse(byte[] content) throws IOException {
        Properties lines = new Properties();
        try {
            lines.load(new StringReader(new String(content, StandardCharsets.UTF_8)));
            Map<String, TenantSettings.Builder> builders = new HashMap<>();
            for (String key : lines.stringPropertyNames()) {
                int dot = key.lastIndexOf('.'); // names of tenants may have dots
                String tenant = key.substring(0, Math.max(dot, 0));
                String setting = key.substring(dot + 1);
                if (TenantId.parse(tenant).isEmpty() || TenantSetting.of(setting).isEmpty()) {
                    throw new IllegalArgumentException(key + ": must be TENANT.SETTING, with a setting of tenants");
                }
                builders.computeIfAbsent(tenant, each -> TenantSettings.builder())
                        .parse(TenantSetting.of(setting).get(), lines.getProperty(key).strip());
            }
            Map<String, TenantSettings> tenants = new HashMap<>();
            builders.forEach((tenant, builder) -> tenants.put(tenant, builder.build()));
            return tenants;
        } catch (IllegalArgumentException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private final class Watched implements TenantSettingsProvider {
        private final TenantChanges changes;
        private final ScheduledExecutorService watcher = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "tenant-properties");
            thread.setDaemon(true);
            return thread;
        });
        /** What was read last. Confined to the watcher once it runs. */
        private byte[] content;
        /** Replaced as a whole by the watcher, read by every thread of the broker. */
        private volatile Map<String, TenantSettings> tenants;

        Watched(TenantChanges changes) throws IOException {
            this.changes = changes;
            try {
                content = read();
                tenants = parse(content);
            } catch (IOException e) {
                throw new IOException(file + ": " + e, e);
            }
            watcher.scheduleWithFixedDelay(this::look, 1, 1, TimeUnit.SECONDS);
        }

        private byte[] read() throws IOException {
            try (InputStream in = Files.newInputStream(file)) {
                byte[] bytes = in.readNBytes(MAX_BYTES + 1);
                if (bytes.length > MAX_BYTES) {
                    throw new IOException("has more than " + MAX_BYTES + " bytes");
                }
                return bytes;
            }
        }

        /** A file with a mistake changes nothing: tenants keep the settings that they have. */
        private void look() {
            try {
                byte[] now = read();
                if (!Arrays.equals(now, content)) {
                    Map<String, TenantSettings> before = tenants;
                    Map<String, TenantSettings> after = parse(now);
                    content = now;
                    tenants = after;
                    Set<String> names = new HashSet<>(before.keySet());
                    names.addAll(after.keySet());
                    for (String name : names) {
                        if (!Optional.ofNullable(before.get(name)).equals(Optional.ofNullable(after.get(name)))) {
                            changes.changed(new TenantId(name)); // connected clients too, within seconds
                        }
                    }
                    logger.log(System.Logger.Level.INFO, "settings of {0} tenants read from {1}", after.size(), file);
                }
                mistake = "";
            } catch (IOException | RuntimeException e) { // a task that throws would not run again
                String text = file + ": " + e.getMessage();
                if (!text.equals(mistake)) {
                    mistake = text;
                    logger.log(System.Logger.Level.ERROR, "the settings of before stay, {0}", text);
                }
            }
        }

        @Override
        public CompletableFuture<Optional<TenantSettings>> settings(TenantId tenant) {
            TenantSettings found = tenants.get(tenant.value());
            return CompletableFuture.completedFuture(
                    found == null && unlisted == Unlisted.ACCEPT
                            ? Optional.of(TenantSettings.NONE)
                            : Optional.ofNullable(found));
        }

        @Override
        public void close() {
            watcher.shutdownNow();
        }
    }
}

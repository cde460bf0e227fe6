package io.godwit.broker.effective;

import io.godwit.broker.metrics.OtlpPush;
import io.godwit.broker.release.Release;
import io.godwit.broker.settings.OtlpSection;
import io.godwit.common.pem.PemFile;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** Makes the target of pushed meters from the effective configuration. */
public final class OtlpSettings {
    private OtlpSettings() {}

    public static boolean isOn(BrokerConfig config) {
        return !config.otlp().url().isEmpty();
    }

    /**
     * Finds a setting that would silently be ignored.
     *
     * @return one line per error, naming its key
     */
    public static List<String> errors(BrokerConfig config) {
        OtlpSection section = config.otlp();
        if (!section.caFile().isEmpty() && !section.url().isEmpty() && !hasTls(section)) {
            return List.of("otlpConfig.caFile: has no effect while otlpConfig.url begins with http://");
        }
        return List.of();
    }

    /**
     * Reads the files that the section names. Blocks.
     *
     * @throws IOException naming the key
     */
    public static void check(BrokerConfig config) throws IOException {
        if (isOn(config)) {
            tls(config);
        }
    }

    /** @param nodeId the id of this node */
    public static OtlpPush.Target of(BrokerConfig config, String nodeId) throws IOException {
        OtlpSection section = config.otlp();
        Map<String, String> resource = new LinkedHashMap<>();
        resource.put("service.name", "godwit");
        resource.put("service.version", Release.version());
        resource.put("service.instance.id", nodeId);
        section.resourceAttributes().forEach(pair -> {
            Map.Entry<String, String> attribute = pair(pair);
            resource.put(attribute.getKey(), attribute.getValue());
        });
        return new OtlpPush.Target(
                URI.create(section.url()),
                Duration.ofSeconds(section.intervalSeconds()),
                Duration.ofSeconds(section.timeoutSeconds()),
                section.headers().stream().map(OtlpSettings::pair).toList(),
                resource,
                Release.version(),
                tls(config));
    }

    private static Map.Entry<String, String> pair(String text) {
        int equals = text.indexOf('=');
        return Map.entry(text.substring(0, equals), text.substring(equals + 1));
    }

    private static @Nullable SSLContext tls(BrokerConfig config) throws IOException {
        Path file = config.file(config.otlp().caFile());
        if (file == null) {
            return null;
        }
        try {
            List<X509Certificate> authorities = PemFile.read(file).certificates();
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            for (int i = 0; i < authorities.size(); i++) {
                store.setCertificateEntry("ca" + i, authorities.get(i));
            }
            TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
            trust.init(store);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (IOException | GeneralSecurityException e) {
            throw new IOException("otlpConfig.caFile: " + e.getMessage(), e);
        }
    }

    private static boolean hasTls(OtlpSection section) {
        return section.url().toLowerCase(Locale.ROOT).startsWith("https:");
    }

    /** Warnings for the operator, repeated at every start. */
    public static List<String> warnings(BrokerConfig config) {
        OtlpSection section = config.otlp();
        return !section.url().isEmpty() && !section.headers().isEmpty() && !hasTls(section) && !isHere(section)
                ? List.of("otlpConfig.headers travel in the clear to " + section.url() + ": use https://")
                : List.of();
    }

    /** Judges by the text: a start does not wait for name resolution. */
    private static boolean isHere(OtlpSection section) {
        String host = URI.create(section.url()).getHost();
        return host.equals("localhost") || host.startsWith("127.") || host.equals("[::1]");
    }
}

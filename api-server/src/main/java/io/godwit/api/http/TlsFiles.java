package io.godwit.api.http;

import io.godwit.api.port.FileWatch;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.core.net.ServerSSLOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The PEM files of TLS, and whether they have changed. Used by one thread at a time, which may block.
 *
 * @see #options
 */
public final class TlsFiles {
    private static final Set<String> PROTOCOLS = Set.of("TLSv1.2", "TLSv1.3");
    private static final int MAX_BYTES = 1 << 20;

    private final Path certificate;
    private final Path key;
    private final @Nullable Path clientAuthority;
    private final List<FileWatch> watches = new ArrayList<>();
    private final Limits limits;
    /** Whether the last read of the files failed. */
    private boolean isUnread;

    /** @param clientAuthority the CA of client certificates; null requests no client certificate */
    public TlsFiles(
            Path certificate, Path key, @Nullable Path clientAuthority, Limits limits, FileWatch.Factory factory) {
        this.certificate = certificate;
        this.key = key;
        this.clientAuthority = clientAuthority;
        this.limits = limits;
        watches.add(factory.watch(certificate));
        watches.add(factory.watch(key));
        if (clientAuthority != null) {
            watches.add(factory.watch(clientAuthority));
        }
    }

    /** Whether the files have changed, or could not be read the last time. */
    public boolean haveChanged() {
        boolean changed = isUnread;
        for (FileWatch watch : watches) {
            changed |= watch.hasChanged(); // call all of them: a watch reports each change once
        }
        return changed;
    }

    /** @throws IOException naming the file that cannot be read */
    public ServerSSLOptions options() throws IOException {
        isUnread = true;
        ServerSSLOptions options = new ServerSSLOptions();
        options.setKeyCertOptions(
                new PemKeyCertOptions().setCertValue(read(certificate)).setKeyValue(read(key)));
        options.setEnabledSecureTransportProtocols(PROTOCOLS);
        options.setUseAlpn(false);
        options.setSslHandshakeTimeout(limits.headTimeout().toMillis());
        options.setSslHandshakeTimeoutUnit(TimeUnit.MILLISECONDS);
        if (clientAuthority != null) {
            options.setTrustOptions(new PemTrustOptions().addCertValue(read(clientAuthority)));
            options.setClientAuth(ClientAuth.REQUEST);
        }
        isUnread = false;
        return options;
    }

    private static Buffer read(Path file) throws IOException {
        if (!Files.isReadable(file)) {
            throw new IOException("the file " + file + " (apiServerConfig.tls) cannot be read");
        }
        if (Files.size(file) > MAX_BYTES) {
            throw new IOException("the file " + file + " (apiServerConfig.tls) has more than " + MAX_BYTES + " bytes");
        }
        return Buffer.buffer(Files.readAllBytes(file));
    }
}

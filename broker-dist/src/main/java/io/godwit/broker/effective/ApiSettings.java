package io.godwit.broker.effective;

import io.godwit.api.ApiConfig;
import io.godwit.api.ApiServer;
import io.godwit.api.auth.TokenFile;
import io.godwit.api.http.gate.HttpLimits;
import io.godwit.broker.settings.ApiSection;
import io.godwit.common.pem.PemFile;
import io.godwit.mqtt.transport.tls.ServerTls;
import io.godwit.mqtt.transport.tls.TlsConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Makes the configuration of the API from the effective configuration. */
public final class ApiSettings {
    /** A path or a cursor may contain a client id or a topic, percent-encoded: three bytes for one. */
    private static final int ENCODED = 3;

    private static final int LINE_ROOM = 8_192;
    private static final int HEADER_BYTES = 16_384;

    private ApiSettings() {}

    public static ApiConfig of(BrokerConfig config) {
        ApiSection section = config.api();
        return new ApiConfig(
                section.host(),
                section.port(),
                tls(config),
                Optional.ofNullable(config.file(section.tokensFile())),
                section.checkAnswers(),
                new HttpLimits(
                        section.maxConnections(),
                        section.maxConnectionsPerAddress(),
                        LINE_ROOM
                                + ENCODED
                                        * Math.max(
                                                config.mqtt().maxClientIdBytes(),
                                                config.mqtt().maxTopicBytes()),
                        HEADER_BYTES,
                        section.maxBodyBytes(),
                        Duration.ofSeconds(section.headTimeoutSeconds()),
                        Duration.ofSeconds(section.idleTimeoutSeconds()),
                        Duration.ofSeconds(section.requestTimeoutSeconds()),
                        section.maxRequestRate(),
                        section.maxRequestRatePerCaller()));
    }

    private static boolean hasTls(ApiSection section) {
        return !section.tls().certFile().isEmpty();
    }

    private static Optional<ApiConfig.Tls> tls(BrokerConfig config) {
        ApiSection section = config.api();
        return hasTls(section)
                ? Optional.of(new ApiConfig.Tls(
                        Objects.requireNonNull(config.file(section.tls().certFile())),
                        config.directory().resolve(section.tls().keyFile()),
                        Optional.ofNullable(config.file(section.tls().clientCaFile()))))
                : Optional.empty();
    }

    /**
     * Checks the section and reads the files that it names. Blocks.
     *
     * @throws IOException with one line per mistake
     */
    public static void check(BrokerConfig config) throws IOException {
        ApiSection section = config.api();
        if (!section.enable()) {
            return;
        }
        List<String> errors = new ArrayList<>();
        Path tokens = config.file(section.tokensFile());
        read(errors, "tokensFile", tokens, TokenFile::readOwn);
        if (hasTls(section)) {
            pem(errors, "tls.certFile", config.file(section.tls().certFile()), PemFile::certificates);
            if (section.tls().keyFile().isEmpty()) {
                errors.add("apiServerConfig.tls.keyFile: must name a file");
            }
            pem(errors, "tls.keyFile", config.file(section.tls().keyFile()), PemFile::privateKey);
            pem(errors, "tls.clientCaFile", config.file(section.tls().clientCaFile()), PemFile::certificates);
            if (errors.isEmpty()) {
                read(errors, "tls", config.file(section.tls().certFile()), certificate -> pair(config, certificate));
            }
        } else if (!section.tls().keyFile().isEmpty()
                || !section.tls().clientCaFile().isEmpty()) {
            errors.add("apiServerConfig.tls.certFile: must name a file, since others of tls are named");
        }
        if (tokens == null && hasTls(section) && !section.tls().clientCaFile().isEmpty()) {
            errors.add("apiServerConfig.tls.clientCaFile: has no effect without apiServerConfig.tokensFile, which says "
                    + "what each certificate may do");
        }
        if (tokens == null) {
            try {
                ApiServer.requireLoopback(of(config));
            } catch (IOException e) {
                errors.add(e.getMessage());
            }
        }
        if (!errors.isEmpty()) {
            throw new IOException(String.join("\n", errors));
        }
    }

    /**
     * Checks that the key belongs to the certificate.
     *
     * @throws IOException when it does not
     */
    private static Object pair(BrokerConfig config, Path certificate) throws IOException {
        ServerTls.load(new TlsConfig(
                        certificate,
                        Objects.requireNonNull(config.file(config.api().tls().keyFile())),
                        null,
                        TlsConfig.ClientCertificate.NONE,
                        null,
                        TlsConfig.PROTOCOLS,
                        List.of(),
                        TlsConfig.UserName.NONE,
                        TlsConfig.Engine.JDK))
                .close();
        return certificate;
    }

    private interface Reading<F> {
        Object read(F file) throws IOException;
    }

    private static void pem(List<String> errors, String key, @Nullable Path file, Reading<PemFile> reading) {
        read(errors, key, file, path -> reading.read(PemFile.read(path)));
    }

    private static void read(List<String> errors, String key, @Nullable Path file, Reading<Path> reading) {
        if (file == null) {
            return;
        }
        try {
            reading.read(file);
        } catch (IOException e) {
            errors.add("apiServerConfig." + key + ": " + e.getMessage());
        }
    }

    /** Warnings for the operator, repeated at every start. */
    static List<String> warnings(BrokerConfig config) {
        ApiSection section = config.api();
        if (!section.enable()) {
            return List.of();
        }
        List<String> warnings = new ArrayList<>(OtherReaders.ofTokens(config));
        if (!section.tokensFile().isEmpty() && !hasTls(section) && !isLoopback(section.host())) {
            warnings.add("tokens travel in the clear to apiServerConfig.host " + section.host()
                    + ", which other machines may reach: set apiServerConfig.tls");
        }
        return warnings;
    }

    private static boolean isLoopback(String host) {
        try {
            for (InetAddress address : InetAddress.getAllByName(host)) {
                if (!address.isLoopbackAddress()) {
                    return false;
                }
            }
            return true;
        } catch (UnknownHostException e) {
            return false; // the start reports an unknown host
        }
    }
}

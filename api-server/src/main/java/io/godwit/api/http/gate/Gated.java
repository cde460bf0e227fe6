package io.godwit.api.http.gate;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.core.http.HttpServerOptions;
import java.util.concurrent.TimeUnit;

/** Vert.x as the API needs it: few threads, and no more connections than the limits allow. */
public final class Gated {
    private static final long CHECK_SECONDS = 10;

    private Gated() {}

    /** @param gate before its servers */
    public static Vertx vertx(AcceptGate gate) {
        VertxOptions options = new VertxOptions()
                .setEventLoopPoolSize(1)
                .setWorkerPoolSize(1)
                .setInternalBlockingPoolSize(1)
                .setUseDaemonThread(true)
                .setBlockedThreadCheckInterval(CHECK_SECONDS)
                .setBlockedThreadCheckIntervalUnit(TimeUnit.SECONDS)
                // Vert.x reads no files: else it would make a directory for files found in jars
                .setFileSystemOptions(new FileSystemOptions()
                        .setClassPathResolvingEnabled(false)
                        .setFileCachingEnabled(false));
        return Vertx.builder()
                .with(options)
                .withTransport(new GatedTransport(gate))
                .build();
    }

    /** HTTP/1.1 only, no decompression, and no head longer than the limits allow. */
    public static HttpServerOptions server(HttpLimits limits) {
        return new HttpServerOptions()
                .setUseAlpn(false)
                .setHttp2ClearTextEnabled(false)
                .setDecompressionSupported(false)
                .setCompressionSupported(false)
                .setHandle100ContinueAutomatically(false)
                .setMaxInitialLineLength(limits.maxLineBytes())
                .setMaxHeaderSize(limits.maxHeaderBytes());
    }
}

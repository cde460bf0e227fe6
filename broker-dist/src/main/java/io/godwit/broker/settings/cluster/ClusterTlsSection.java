package io.godwit.broker.settings.cluster;

import io.godwit.broker.config.key.Key;

/** {@code clusterConfig.tls}. */
public record ClusterTlsSection(
        @Key(text = """
                    This node's certificate, followed by those between it and the authority's.
                    """) String certFile,
        @Key(text = "Its private key, not encrypted.") String keyFile,
        @Key(text = """
                    The certificates that all nodes' certificates come from. Whoever has one of these is a node: the
                    authority should be the cluster's own, or requiredName be given.
                    """) String trustCertsFile,

        @Key(text = "A DNS name that the certificate of every node must have.")
        String requiredName,

        @Key(value = "false", text = """
                    true: no TLS. Everybody who reaches the ports may read and change everything.
                    """) boolean plain) {}

package io.godwit.broker.settings.cluster;

import io.godwit.broker.config.key.ConfigKey;

/** {@code clusterConfig.tls}. */
public record ClusterTlsSection(
        @ConfigKey(text = """
                    This node's certificate, followed by those between it and the authority's.
                    """) String certFile,
        @ConfigKey(text = "Its private key, not encrypted.") String keyFile,
        @ConfigKey(text = """
                    The certificates that all nodes' certificates come from. Whoever has one of these is a node: the
                    authority should be the cluster's own, or requiredName be given.
                    """) String trustCertsFile,

        @ConfigKey(text = "A DNS name that the certificate of every node must have.")
        String requiredName,

        @ConfigKey(value = "false", text = """
                    true: no TLS. Everybody who reaches the ports may read and change everything.
                    """) boolean plain) {}

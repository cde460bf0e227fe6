package io.godwit.broker.settings;

import io.godwit.broker.config.key.ConfigKey;
import io.godwit.broker.config.key.Unit;
import java.util.List;

/** {@code otlpConfig}. */
public record OtlpSection(
        @ConfigKey(check = OtlpChecks.Url.class, text = """
                    Where the meters go, as http:// or https:// with the whole path: a collector of OpenTelemetry has
                    http://HOST:4318/v1/metrics, Prometheus http://HOST:9090/api/v1/otlp/v1/metrics. Empty: nowhere.
                    """) String url,

        @ConfigKey(value = "60", min = 1, max = 3_600, unit = Unit.SECONDS, text = """
                    How long it waits from one push to the next, and for the answer to one. A push that fails is not
                    repeated: the next one has the newer counts.
                    """)
        int intervalSeconds,

        @ConfigKey(value = "10", min = 1, max = 60, unit = Unit.SECONDS)
        int timeoutSeconds,

        @ConfigKey(check = OtlpChecks.Header.class, commas = false, secret = true, text = """
                    Headers of each push, which tell the collector who sends it: a list of name=value, as in
                      - Authorization=Bearer ${OTLP_TOKEN}
                    Values are shown to nobody. What stands in this file is for its readers: ${OTLP_TOKEN} takes the
                    value from the environment.
                    """)
        List<String> headers,

        @ConfigKey(check = OtlpChecks.Attribute.class, commas = false, text = """
                    What the collector is told of this node beside service.name=godwit, service.version and
                    service.instance.id, the node's id: a list of name=value, as in
                      - deployment.environment.name=production
                    """)
        List<String> resourceAttributes,

        @ConfigKey(text = """
                    The authorities that issue the certificate of an https:// collector, as PEM. Empty: those that the
                    JVM trusts.
                    """) String caFile) {}

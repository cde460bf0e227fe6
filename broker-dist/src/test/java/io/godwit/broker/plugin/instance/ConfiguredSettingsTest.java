package io.godwit.broker.plugin.instance;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.broker.plugin.PluginStage;
import io.godwit.broker.plugin.instance.CircuitBreaker.State;
import io.godwit.plugin.context.PluginSettings;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ConfiguredSettingsTest {
    private static ConfiguredSettings settings(String... keysAndValues) {
        return new ConfiguredSettings(PluginStage.section("acme", keysAndValues), Path.of("/etc/godwit"));
    }

    @Test
    void valuesOfAllKindsAreRead() {
        ConfiguredSettings settings = settings(
                "url",
                "ldap://x",
                "on",
                "true",
                "most",
                "7",
                "room",
                "2KB",
                "wait",
                "2m",
                "state",
                "half-open",
                "names",
                "a\nb, c",
                "tls.caFile",
                "ca.pem",
                "tls.deep.x",
                "1");
        assertThat(settings.text("url", "")).isEqualTo("ldap://x");
        assertThat(settings.requiredText("url")).isEqualTo("ldap://x");
        assertThat(settings.flag("on", false)).isTrue();
        assertThat(settings.number("most", 1, 0, 9)).isEqualTo(7);
        assertThat(settings.bytes("room", 1, 0, 9_000)).isEqualTo(2_048);
        assertThat(settings.duration("wait", Duration.ZERO, Duration.ZERO, Duration.ofHours(1)))
                .isEqualTo(Duration.ofMinutes(2));
        assertThat(settings.choice("state", State.OPEN)).isEqualTo(State.HALF_OPEN);
        assertThat(settings.list("names")).containsExactly("a", "b", "c");
        PluginSettings tls = settings.section("tls");
        assertThat(tls.file("caFile", "other.pem")).isEqualTo(Path.of("/etc/godwit/ca.pem"));
        assertThat(tls.section("deep").number("x", 0, 0, 9)).isEqualTo(1);
        assertThat(settings.allErrors()).isEmpty();
    }

    @Test
    void whatIsNotGivenHasItsFallback() {
        ConfiguredSettings settings = settings();
        assertThat(settings.text("url", "x")).isEqualTo("x");
        assertThat(settings.list("names")).isEmpty();
        assertThat(settings.file("file", "f")).isEqualTo(Path.of("/etc/godwit/f"));
        assertThat(settings.section("tls").flag("on", true)).isTrue();
        assertThat(settings.allErrors()).isEmpty();
    }

    @Test
    void allThatIsWrongIsToldWithItsPlace() {
        ConfiguredSettings settings = settings(
                "on", "yes", "most", "77", "password", "s3cret", "pasword", "hidden", "tls", "1", "mostt", "8");
        assertThat(settings.flag("on", true)).isTrue();
        assertThat(settings.number("most", 5, 0, 9)).isEqualTo(5);
        assertThat(settings.requiredText("url")).isEmpty();
        assertThat(settings.secret("password", "")).isEqualTo("s3cret");
        settings.error("password", "is too short");
        settings.section("tls").text("caFile", "");
        assertThat(settings.allErrors())
                .containsExactly(
                        "plugins.acme.on: must be true or false, was \"yes\" (line 1)",
                        "plugins.acme.most: must be from 0 to 9, was \"77\" (line 3)",
                        "plugins.acme.url: has to be given",
                        "plugins.acme.password: is too short (line 5)",
                        "plugins.acme.tls: must hold keys, not a value (line 9)",
                        "plugins.acme.pasword: unknown key (line 7), the nearest valid one is plugins.acme.password",
                        "plugins.acme.mostt: unknown key (line 11), the nearest valid one is plugins.acme.most");
        assertThat(settings.allErrors().toString()).doesNotContain("s3cret", "hidden");
    }

    @Test
    void aPluginWithoutSettingsSaysSo() {
        assertThat(settings("x", "1").allErrors())
                .containsExactly("plugins.acme.x: unknown key (line 1), the plugin has no settings");
    }
}

package io.godwit.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.api.ApiFixture.Got;
import io.vertx.core.json.JsonObject;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The configuration in force, and plugins. */
class ApiSettingsTest {
    private static final String PATH = "/api/v1/configuration";

    private ApiFixture api;

    @BeforeEach
    void open() throws Exception {
        api = ApiFixture.open();
    }

    @AfterEach
    void close() {
        api.close();
    }

    @Test
    void theConfigurationOfEachNodeIsToldAndWhereNodesDiffer() throws Exception {
        Got all = api.get(PATH);
        assertThat(all.json().getJsonArray("items")).hasSize(2);
        JsonObject difference = all.json().getJsonArray("differences").getJsonObject(0);
        assertThat(difference.getString("key")).isEqualTo("clusterConfig.host");
        assertThat(difference.getJsonArray("values").getJsonObject(1).getString("value"))
                .isEqualTo("10.0.0.2");
        assertThat(all.json().getJsonArray("differences")).hasSize(1);

        JsonObject one = api.get(PATH + "?node=node-b&onlyGiven=true")
                .json()
                .getJsonArray("items")
                .getJsonObject(0);
        assertThat(one.getString("node")).isEqualTo("node-b");
        assertThat(one.getJsonArray("settings")).hasSize(2);
        assertThat(one.getJsonArray("settings").getJsonObject(1).getString("source"))
                .isEqualTo("environment");
    }

    @Test
    void aNodeThatIsNotThereIsNotFoundAndOneThatDoesNotAnswerIsMissing() throws Exception {
        assertThat(api.get(PATH + "?node=nobody").status()).isEqualTo(404);
        api.node.settings.missing = List.of("node-c");
        assertThat(api.get(PATH + "?node=node-c").problem()).isEqualTo("nodes-missing");
    }

    @Test
    void pluginsAreToldWithWhatTheyAreUsedFor() throws Exception {
        JsonObject plugin =
                api.get("/api/v1/plugins").json().getJsonArray("items").getJsonObject(0);
        assertThat(plugin.getString("version")).isEqualTo("1.2");
        assertThat(plugin.getJsonArray("uses").getJsonObject(0).getString("kind"))
                .isEqualTo("auth-provider");
        assertThat(plugin.getJsonArray("uses").getJsonObject(0).getString("circuit"))
                .isEqualTo("open");
    }
}

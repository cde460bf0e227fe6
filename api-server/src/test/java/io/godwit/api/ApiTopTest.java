package io.godwit.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.api.ApiFixture.Got;
import io.godwit.api.auth.Role;
import io.godwit.api.auth.TokenFile;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each answer is compared with the document by the fixture. */
class ApiTopTest {
    private static final String TOP = "/api/v1/top/";

    @Test
    void theListsAreAnswered() throws Exception {
        try (ApiFixture api = ApiFixture.open()) {
            Got slow = api.get(TOP + "slow-subscribers");
            assertThat(slow.json().getJsonArray("items").getJsonObject(0).getString("clientId"))
                    .isEqualTo("wren");
            assertThat(slow.json().getJsonArray("missingNodes")).containsExactly(FakeNode.OTHER);
            assertThat(api.get(TOP + "clients?limit=100").status()).isEqualTo(200);
            assertThat(api.get(TOP + "clients?by=bytes&tenant=birds").status()).isEqualTo(200);
            Got topics = api.get(TOP + "topics?fields=topic,messages");
            assertThat(topics.json().getJsonArray("items").getJsonObject(0).fieldNames())
                    .containsExactlyInAnyOrder("topic", "messages");
            assertThat(api.node.top.asked)
                    .containsExactly("slow all 10", "clients all 100", "clients birds 10 by bytes", "topics all 10");
        }
    }

    @Test
    void wrongParametersAreRefused() throws Exception {
        try (ApiFixture api = ApiFixture.open()) {
            assertThat(api.get(TOP + "topics?limit=101").field()).isEqualTo("limit");
            assertThat(api.get(TOP + "topics?limit=0").field()).isEqualTo("limit");
            assertThat(api.get(TOP + "clients?by=weight").field()).isEqualTo("by");
            assertThat(api.get(TOP + "weather").status()).isEqualTo(404);
            assertThat(api.node.top.asked).isEmpty();
        }
    }

    @Test
    void aTenantSeesItsOwn(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("tokens");
        Files.writeString(
                file,
                TokenFile.parse("")
                        .with(TokenFile.Entry.ofToken("birds", Role.VIEWER, "birds", "gw_birds"))
                        .text());
        try (ApiFixture api = ApiFixture.withTokens(file)) {
            api.get(TOP + "slow-subscribers", "Authorization", "Bearer gw_birds");
            assertThat(api.get(TOP + "topics?tenant=fish", "Authorization", "Bearer gw_birds")
                            .status())
                    .isEqualTo(403);
            assertThat(api.node.top.asked).containsExactly("slow birds 10");
        }
    }

    /** Ten dashboards cost as much as one, and who shows few fields takes none from the others. */
    @Test
    void aRepeatedRequestWithinASecondAsksNoNodeAgain() throws Exception {
        try (ApiFixture api = ApiFixture.open()) {
            long begun = System.nanoTime();
            for (int i = 0; i < 10; i++) {
                assertThat(api.get(TOP + "topics?fields=topic").status()).isEqualTo(200);
            }
            Got whole = api.get(TOP + "topics");
            assertThat(whole.json().getJsonArray("items").getJsonObject(0).fieldNames())
                    .hasSizeGreaterThan(1);
            long seconds = (System.nanoTime() - begun) / 1_000_000_000L;
            assertThat(api.node.top.asked).hasSizeLessThanOrEqualTo(1 + (int) seconds);
        }
    }
}

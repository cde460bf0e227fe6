package io.godwit.dist.member;

import static io.godwit.dist.member.MemberWorld.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Members under random faults, see {@link MemberWorld}; {@code -Dmembers.seed=7} runs only one seed. */
@Tag("slow")
class MembersSimulationTest extends MembersFixture {
    @Test
    void nothingIsAcknowledgedThatMissesAPromise() {
        Map<String, Integer> happened = new TreeMap<>();
        Long chosen = Long.getLong("members.seed");
        int count = chosen != null ? 1 : Integer.getInteger("members.seeds", 2);
        long first = chosen != null ? chosen : ThreadLocalRandom.current().nextInt(1_000_000);
        System.out.println("members: " + count + " seeds from " + first);
        for (long seed = first; seed < first + count; seed++) {
            run(seed).forEach((what, times) -> happened.merge(what, times, Integer::sum));
        }
        System.out.println("members: " + happened);
        if (chosen == null) {
            assertThat(happened)
                    .containsKeys("acknowledged", "held and acknowledged", "refused", "excluded", "promised");
        }
    }

    private static Map<String, Integer> run(long seed) {
        MemberWorld world = new MemberWorld(seed);
        for (int i = 0; i < 60; i++) {
            disturb(world);
            world.runFor((long) (world.random.nextDouble() * 4 * SECOND));
        }
        world.isCalm = true;
        world.setMajority(true);
        world.forAll(node -> {
            heal(node);
            if (!node.isUp()) {
                world.start(node.life().nodeId(), node.life().incarnation() + 1);
            }
        });
        world.runFor(60 * SECOND);
        world.forAll(node -> {
            if (node.isUp() && !node.members().mayAcknowledge()) { // a node that was leaving is gone
                world.violate(
                        node.life() + " does not come back: " + node.members().lack());
            }
        });
        world.runFor(SECOND);
        return world.happened;
    }

    private static void heal(MemberNode node) {
        node.cutFromStore(false);
        node.cutLinks(false);
        node.stand(false);
    }

    private static void disturb(MemberWorld world) {
        MemberNode node = world.node(world.random.nextInt(4));
        switch (world.random.nextInt(12)) {
            case 0, 1 -> node.cutFromStore(true);
            case 2 -> node.cutLinks(true);
            case 3 -> {
                node.cutLinks(true); // so it does not hear of its exclusion
                world.after((long) (world.random.nextDouble() * 3 * SECOND), () -> node.cutFromStore(!world.isCalm));
            }
            case 4, 5 -> node.stand(true);
            case 6 -> {
                node.kill();
                world.count("killed");
                if (world.random.nextBoolean()) {
                    world.after(
                            (long) (world.random.nextDouble() * SECOND),
                            () -> world.forAll(other -> other.members().ended(node.life())));
                }
            }
            case 7 -> world.setMajority(false);
            case 8 -> {
                if (node.isUp() && !node.isStanding()) {
                    node.closeClients(); // as a node does before it leaves
                    node.members().leave().whenComplete((done, failure) -> {
                        world.count("left");
                        node.kill();
                    });
                }
            }
            default -> {
                world.setMajority(true);
                world.forAll(each -> {
                    if (each.isUp()) {
                        heal(each);
                    } else {
                        world.start(each.life().nodeId(), each.life().incarnation() + 1);
                    }
                });
            }
        }
    }
}

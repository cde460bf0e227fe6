package io.godwit.broker;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTag;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.time.Clock;
import java.time.Instant;
import java.util.Comparator;

/**
 * The module table of ARCHITECTURE.md as rules over packages. Maven already prevents a module from using modules that
 * it does not declare; these rules check which packages of a declared module it uses, and that there are no cycles
 * inside one. {@link PackageLayers} has the order of the packages of a module.
 */
@ArchTag("smoke")
@AnalyzeClasses(packages = "io.godwit", importOptions = LayeringTest.NoTests.class)
class LayeringTest {
    /** ArchUnit's own option does not know where {@code -Dquick} puts the classes of tests, nor jars of them. */
    static final class NoTests implements ImportOption {
        @Override
        public boolean includes(Location location) {
            return !location.contains("/test-classes/") && !location.contains("-tests.jar");
        }
    }

    @ArchTest
    static final ArchTests packageLayers = ArchTests.in(PackageLayers.class);

    private static final String[] BUFFER_PACKAGES = {
        "io.godwit.mqtt.codec..", "io.godwit.mqtt.transport..", "io.godwit.cluster.."
    };

    /** All modules but plugin-api may use base-common, which uses none of them (docs/adr/0017). */
    private static final DescribedPredicate<JavaClass> OURS =
            resideInAPackage("io.godwit..").and(not(resideInAPackage("io.godwit.common..")));

    @ArchTest
    static final ArchRule pluginApiUsesNothingOfOurs = noClasses()
            .that()
            .resideInAPackage("io.godwit.plugin..")
            .should()
            .dependOnClassesThat(resideInAPackage("io.godwit..").and(not(resideInAPackage("io.godwit.plugin.."))));

    /** They are plugins that come with the broker: each could be a jar. */
    @ArchTest
    static final ArchRule authProvidersThatCouldBeJars = noClasses()
            .that()
            .resideInAnyPackage(
                    "io.godwit.broker.auth.jwt..",
                    "io.godwit.broker.auth.http..",
                    "io.godwit.broker.auth.x509..",
                    "io.godwit.broker.auth.remote..",
                    "io.godwit.broker.auth.filter..",
                    "io.godwit.broker.auth.login..")
            .should()
            .dependOnClassesThat(OURS.and(not(resideInAnyPackage(
                            "io.godwit.plugin..",
                            "io.godwit.broker.auth.jwt..",
                            "io.godwit.broker.auth.http..",
                            "io.godwit.broker.auth.x509..",
                            "io.godwit.broker.auth.remote..",
                            "io.godwit.broker.auth.filter..",
                            "io.godwit.broker.auth.login..")))
                    .and(not(nameMatching("io\\.godwit\\.broker\\.plugin\\.instance\\.CircuitBreaker.*"))));

    @ArchTest
    static final ArchRule pluginApiNeedsTheJdkOnly = noClasses()
            .that()
            .resideInAPackage("io.godwit.plugin..")
            .should()
            .dependOnClassesThat(not(resideInAnyPackage("java..", "io.godwit.plugin..", "org.jspecify.annotations..")));

    @ArchTest
    static final ArchRule commonNeedsTheJdkOnly = noClasses()
            .that()
            .resideInAPackage("io.godwit.common..")
            .should()
            .dependOnClassesThat(not(resideInAnyPackage("java..", "io.godwit.common..", "org.jspecify.annotations..")));

    @ArchTest
    static final ArchRule clusterUsesNothingOfOurs = noClasses()
            .that()
            .resideInAPackage("io.godwit.cluster..")
            .should()
            .dependOnClassesThat(OURS.and(not(resideInAPackage("io.godwit.cluster.."))));

    @ArchTest
    static final ArchRule kvUsesClusterBalancePoliciesAndEvents = noClasses()
            .that()
            .resideInAPackage("io.godwit.kv..")
            .should()
            .dependOnClassesThat(OURS.and(not(resideInAnyPackage(
                    "io.godwit.kv..",
                    "io.godwit.cluster..",
                    "io.godwit.plugin.balance..",
                    "io.godwit.plugin.event.."))));

    /**
     * Steps of the wall clock must not affect elections, deadlines, grace periods and reads, which use the monotonic
     * clock. Only the leaders of the stores get the wall time, through their context, for decisions such as the expiry
     * of a message.
     */
    @ArchTest
    static final ArchRule kvAndClusterDoNotLookAtTheWallClock = noClasses()
            .that()
            .resideInAnyPackage("io.godwit.kv..", "io.godwit.cluster..")
            .and()
            .doNotHaveFullyQualifiedName("io.godwit.kv.range.leader.Leadership")
            .should()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .callMethod(Instant.class, "now")
            .orShould()
            .dependOnClassesThat()
            .areAssignableTo(Clock.class);

    @ArchTest
    static final ArchRule distUsesNoOtherStore = storeStandsAlone("io.godwit.dist..");

    @ArchTest
    static final ArchRule inboxUsesNoOtherStore = storeStandsAlone("io.godwit.inbox..");

    @ArchTest
    static final ArchRule retainUsesNoOtherStore = storeStandsAlone("io.godwit.retain..");

    @ArchTest
    static final ArchRule storesUseTheOpenPackagesOfKv = noClasses()
            .that()
            .resideInAnyPackage("io.godwit.dist..", "io.godwit.inbox..", "io.godwit.retain..")
            .should()
            .dependOnClassesThat(resideInAPackage("io.godwit.kv..")
                    .and(not(resideInAnyPackage("io.godwit.kv.client..", "io.godwit.kv.coprocessor.."))));

    @ArchTest
    static final ArchRule mqttUsesTheClientPackagesOfTheStores = noClasses()
            .that()
            .resideInAPackage("io.godwit.mqtt..")
            .should()
            .dependOnClassesThat(OURS.and(not(resideInAnyPackage(
                    "io.godwit.mqtt..",
                    "io.godwit.plugin..",
                    "io.godwit.dist.client..",
                    "io.godwit.inbox.client..",
                    "io.godwit.retain.client.."))));

    @ArchTest
    static final ArchRule apiUsesNothingOfOurs = noClasses()
            .that()
            .resideInAPackage("io.godwit.api..")
            .should()
            .dependOnClassesThat(OURS.and(not(resideInAnyPackage("io.godwit.api..", "io.godwit.plugin.."))));

    /** Only the wiring uses the API; the code on the path of a message does not. */
    @ArchTest
    static final ArchRule theApiIsUsedByTheWiringOnly = noClasses()
            .that(not(resideInAnyPackage("io.godwit.api..", "io.godwit.broker..")))
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.godwit.api..");

    /** The broker's side of the API is written against its ports. */
    @ArchTest
    static final ArchRule vertxStaysInTheApi = noClasses()
            .that(not(resideInAPackage("io.godwit.api..")))
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.vertx..");

    @ArchTest
    static final ArchRule nothingUsesTheWiring = noClasses()
            .that(not(resideInAnyPackage("io.godwit.broker..", "io.godwit.perf..", "io.godwit.it..")))
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.godwit.broker..");

    @ArchTest
    static final ArchRule jraftStaysInRaftAndRange = noClasses()
            .that(not(resideInAnyPackage("io.godwit.kv.raft..", "io.godwit.kv.range..")))
            .should()
            .dependOnClassesThat()
            .resideInAPackage("com.alipay.sofa.jraft..");

    @ArchTest
    static final ArchRule jgroupsStaysInMembership = noClasses()
            .that(not(resideInAnyPackage("io.godwit.cluster.member..")))
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.jgroups..");

    @ArchTest
    static final ArchRule byteBufStaysAtTheWire = noClasses()
            .that(not(resideInAnyPackage(BUFFER_PACKAGES)))
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.netty.buffer..");

    @ArchTest
    static final ArchRule modulesFormNoCircle =
            slices().matching("io.godwit.(*)..").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule packagesFormNoCircle =
            slices().matching("io.godwit.(*).(*)..").should().beFreeOfCycles();

    /** This includes cycles between a package and those below it. */
    @ArchTest
    static final ArchRule noPackageFormsACircleWithItsParent =
            slices().matching("io.godwit.(**)").should().beFreeOfCycles();

    /** Also within a package; see {@link #family} and docs/adr/0061. */
    @ArchTest
    static final ArchRule classesFormNoCircle = slices().assignedFrom(new SliceAssignment() {
                @Override
                public SliceIdentifier getIdentifierOf(JavaClass javaClass) {
                    String name = javaClass.getPackageName();
                    return name.startsWith("io.godwit.") && !isGenerated(name)
                            ? SliceIdentifier.of(family(javaClass).getName())
                            : SliceIdentifier.ignore();
                }

                @Override
                public String getDescription() {
                    return "classes";
                }
            })
            .should()
            .beFreeOfCycles();

    /** Messages are generated into packages of this name, of which one has classes written by hand. */
    private static boolean isGenerated(String packageName) {
        return packageName.endsWith(".wire") && !packageName.equals("io.godwit.kv.raft.wire");
    }

    /** A class, its inner classes, and the classes that its package permits it, count as one. */
    private static JavaClass family(JavaClass javaClass) {
        JavaClass outer =
                javaClass.getEnclosingClass().map(LayeringTest::family).orElse(javaClass);
        return outer.getAllRawInterfaces().stream()
                .filter(each -> each.getPackageName().equals(outer.getPackageName()))
                .filter(each ->
                        each.getEnclosingClass().isEmpty() && each.reflect().isSealed())
                .min(Comparator.comparingInt(each -> each.getAllRawInterfaces().size()))
                .orElse(outer);
    }

    private static ArchRule storeStandsAlone(String store) {
        return noClasses()
                .that()
                .resideInAPackage(store)
                .should()
                .dependOnClassesThat(OURS.and(
                        not(resideInAnyPackage(store, "io.godwit.plugin..", "io.godwit.kv..", "io.godwit.cluster.."))));
    }
}

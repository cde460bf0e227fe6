package io.godwit.perf;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;

@AnalyzeClasses(packages = "io.godwit.perf", importOptions = LayeringTest.NoTests.class)
class LayeringTest {
    /** ArchUnit's own option does not know where {@code -Dquick} puts the classes of tests. */
    static final class NoTests implements ImportOption {
        @Override
        public boolean includes(Location location) {
            return !location.contains("/test-classes/");
        }
    }

    private static final DescribedPredicate<JavaClass> OURS = resideInAPackage("io.godwit..");
    private static final DescribedPredicate<JavaClass> TOOL = resideInAPackage("io.godwit.perf..");

    /**
     * The tool measures any broker, so its knowledge of MQTT comes from Vert.x and not from the broker that it
     * measures.
     */
    @ArchTest
    static final ArchRule theToolUsesNothingOfTheBroker =
            classes().should().onlyDependOnClassesThat(TOOL.or(DescribedPredicate.not(OURS)));

    @ArchTest
    static final ArchRule packagesHaveNoCircles =
            slices().matching("io.godwit.perf.(*)..").should().beFreeOfCycles();

    /** This includes cycles between a package and those below it. */
    @ArchTest
    static final ArchRule noPackageFormsACircleWithItsParent =
            slices().matching("io.godwit.(**)").should().beFreeOfCycles();

    /** Also within a package. */
    @ArchTest
    static final ArchRule classesFormNoCircle = slices().assignedFrom(new SliceAssignment() {
                @Override
                public SliceIdentifier getIdentifierOf(JavaClass javaClass) {
                    return SliceIdentifier.of(outermost(javaClass).getName());
                }

                @Override
                public String getDescription() {
                    return "classes";
                }
            })
            .should()
            .beFreeOfCycles();

    private static JavaClass outermost(JavaClass javaClass) {
        return javaClass.getEnclosingClass().map(LayeringTest::outermost).orElse(javaClass);
    }
}

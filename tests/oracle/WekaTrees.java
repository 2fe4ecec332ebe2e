// Grow a J48 tree of every table in a folder and print it. Called by test_weka_cuts.py:
//   java -cp weka.jar WekaTrees.java <folder>
// In the folder: 0.arff, 1.arff, ..., the class last, and J48's options in 0.options, 1.options, ...
// Out: a line per table, its nodes in preorder: "weight" of a leaf, "weight column cut branches" of a split.

import java.io.BufferedReader;
import java.io.File;
import java.io.FileReader;
import java.lang.reflect.Field;
import java.nio.file.Files;
import weka.classifiers.trees.J48;
import weka.classifiers.trees.j48.ClassifierSplitModel;
import weka.classifiers.trees.j48.ClassifierTree;
import weka.core.Instances;
import weka.core.Utils;

public class WekaTrees {
    static Object hidden(Object owner, Class<?> type, String name) throws Exception {
        Field field = type.getDeclaredField(name);
        field.setAccessible(true);
        return field.get(owner);
    }

    static void print(ClassifierTree node, StringBuilder line) throws Exception {
        ClassifierSplitModel split = (ClassifierSplitModel) hidden(node, ClassifierTree.class, "m_localModel");
        line.append(split.distribution().total());
        if (!(Boolean) hidden(node, ClassifierTree.class, "m_isLeaf")) {
            ClassifierTree[] sons = (ClassifierTree[]) hidden(node, ClassifierTree.class, "m_sons");
            line.append(" " + hidden(split, split.getClass(), "m_attIndex"));
            line.append(" " + hidden(split, split.getClass(), "m_splitPoint") + " " + sons.length + ";");
            for (ClassifierTree son : sons) print(son, line);
        } else {
            line.append(";");
        }
    }

    public static void main(String[] words) throws Exception {
        for (int i = 0; new File(words[0], i + ".arff").exists(); ++i) {
            Instances table = new Instances(new BufferedReader(new FileReader(words[0] + "/" + i + ".arff")));
            table.setClassIndex(table.numAttributes() - 1);
            J48 model = new J48();
            model.setOptions(Utils.splitOptions(Files.readString(new File(words[0], i + ".options").toPath())));
            model.buildClassifier(table);
            StringBuilder line = new StringBuilder();
            print((ClassifierTree) hidden(model, J48.class, "m_root"), line);
            System.out.println(line);
        }
    }
}
